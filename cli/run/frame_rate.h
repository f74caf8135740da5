// How fast features are with one backend, by trying.
#pragma once

#include <span>

#include "feature/feature.h"

namespace vq::cli {

// Frames of these formats scored a second, from memory: of a picture made up here, with bands and noise. Takes a tenth of a
// second, or two frames where they take longer. Throws as make_extractor() and what scoring throws.
double frame_rate(std::span<const FeatureRequest> features, const InputFormats& formats, const Execution& execution);

}  // namespace vq::cli
