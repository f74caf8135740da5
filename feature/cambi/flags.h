// CAMBI's own flags of the command line, and what they leave to the program.
#pragma once

#include <span>
#include <string>

#include "feature/feature.h"

namespace vq::cambi {

std::span<const FeatureFlag> flags();

// See FeatureInfo. Under auto, eotf and range are what the distorted video says: PQ, HLG and full range act, all else is
// BT.1886 and limited range.
Resolution resolve(OptionSet& options, const InputFormats& formats, AskedBy asked_by);
std::string depth_advice(const OptionSet& options, const VideoFormat& video, int depth, AskedBy asked_by);

}  // namespace vq::cambi
