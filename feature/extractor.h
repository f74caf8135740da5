// The extractor of a run: all its features over one stream of frames.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "feature/feature.h"
#include "vulkan/device.h"

namespace vq {

// With a backend for devices, features that lack it, or that a device cannot run, run on the host beside the
// others. Throws Error: kUsage and kMismatch as FeatureInfo::check, kUsage if the selector matches no or
// several devices, kBackend if all features, this build or this machine lack the backend, a device fails its
// start-up check, or it can hold the pictures of no feature.
std::unique_ptr<FeatureExtractor> make_extractor(std::span<const FeatureRequest> features,
                                                 const VideoFormats& formats, const Execution& execution);

// Features with device support that one of the devices cannot run, as the other features_lacking(), or for
// which it cannot hold pictures of these formats. Throws Error{kBackend} with the reason if the latter are
// all that the devices can run. Needs: FeatureInfo::check did not throw.
std::vector<const FeatureInfo*> features_lacking(std::span<const FeatureRequest> features,
                                                 const VideoFormats& formats, const Execution& execution,
                                                 std::span<const vulkan::DeviceInfo> devices);

// Names of the features that a backend for devices leaves to the host, as they have no version for it or its
// devices lack something or are too small for the pictures.
std::vector<std::string> left_to_host(std::span<const FeatureRequest> features, const Execution& execution);

// Maximum number of frames that make_extractor()'s result holds at a time.
size_t frames_in_flight(std::span<const FeatureRequest> features, const Execution& execution);

// Upper estimate of the bytes that make_extractor() and the frames in flight allocate, without the frames'
// samples. Throws Error{kBackend} as make_extractor().
int64_t extractor_bytes(std::span<const FeatureRequest> features, const VideoFormats& formats,
                        const Execution& execution);

// Bytes that stages move per frame, by the names of BackendReport, without the upload. If `unreported`, only
// features that need every frame count. Needs: FeatureInfo::check did not throw.
std::vector<StageBytes> stage_bytes_of(std::span<const FeatureRequest> features, const VideoFormats& formats,
                                       Backend backend, bool unreported = false);

// Features that see fitted frames: scaled, or converted to another depth or range.

// Fits frames in the execution's pool, several at a time, and passes them on in order. `extractor` takes
// frames of fitted_formats() and reads what `use` says. Needs: execution.make_fitter and a pool. Throws as
// MakeFitter.
std::unique_ptr<FeatureExtractor> with_fitting(std::unique_ptr<FeatureExtractor> extractor,
                                               const FrameNeeds& use, const VideoFormats& formats,
                                               const Fitting& fitting, const Execution& execution);

// Bytes of the frames that are being fitted.
int64_t fitting_bytes(const FrameNeeds& use, const VideoFormats& formats, const Fitting& fitting,
                      const Execution& execution);

}  // namespace vq
