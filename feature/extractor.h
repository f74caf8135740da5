// The extractor of a run: all its features over one stream of frames.
#pragma once

#include <memory>
#include <span>

#include "feature/feature.h"

namespace vq {

// Throws Error: kUsage and kMismatch as FeatureInfo::check, kUsage where no device or several are meant, kBackend for
// a backend that a feature, this build or this machine lacks, or a device that fails its start-up check.
std::unique_ptr<FeatureExtractor> make_extractor(std::span<const FeatureRequest> features, const InputFormats& formats,
                                                 const Execution& execution);

// Frames that make_extractor()'s result may hold at a time.
size_t frames_in_flight(const Execution& execution);

// An upper estimate of what make_extractor() and the frames in flight take, in bytes, without the frames' samples.
int64_t extractor_bytes(std::span<const FeatureRequest> features, const InputFormats& formats, const Execution& execution);

}  // namespace vq
