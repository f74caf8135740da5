// Whether the pictures of a pair have one shape, so that scaling one to the other's size leaves them as they
// are.
#pragma once

#include "cli/inputs/pair_crop.h"

namespace vq::cli {

// Needs: videos as decoded, with a reference; what is left of them. Looks into both for what was cropped, and
// throws RefusedPair with what to do, where features compare videos of two shapes: sides that differ by
// more than rounding, with the shape of samples where both tell it. Does nothing under compare_anyway.
void check_shapes(const RunOptions& arguments, const DecodedVideos& videos, const PairCrop& crop);

}  // namespace vq::cli
