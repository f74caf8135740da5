// The extractor of a run: all its features over one stream of frames.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "feature/feature.h"

namespace vq {

// With a backend for devices, features that lack it run on the host beside those that have it.
// Throws Error: kUsage and kMismatch as FeatureInfo::check, kUsage where no device or several are meant,
// kBackend for a backend that all features, this build or this machine lack, or a device that fails its
// start-up check.
std::unique_ptr<FeatureExtractor> make_extractor(std::span<const FeatureRequest> features,
                                                 const VideoFormats& formats, const Execution& execution);

// Names of the features that a backend for devices leaves to the host.
std::vector<std::string> left_to_host(std::span<const FeatureRequest> features, Backend backend);

// Frames that make_extractor()'s result may hold at a time.
size_t frames_in_flight(std::span<const FeatureRequest> features, const Execution& execution);

// An upper estimate of what make_extractor() and the frames in flight take, in bytes, without the frames'
// samples. Throws Error{kBackend} as make_extractor().
int64_t extractor_bytes(std::span<const FeatureRequest> features, const VideoFormats& formats,
                        const Execution& execution);

// What stages move for each frame, by the names of BackendReport, without the upload. Of features that need
// every frame where `unreported`, else of all. Needs: FeatureInfo::check did not throw.
std::vector<StageBytes> stage_bytes_of(std::span<const FeatureRequest> features, const VideoFormats& formats,
                                       Backend backend, bool unreported = false);

}  // namespace vq
