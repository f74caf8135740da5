// Flags of features, such as --topk, at work on the features of a run.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "feature/feature.h"

namespace vq::cli {

// Sets what the flags say, each with its text, of every request that has them; presets first, so that what is said one by one
// wins. Throws Error{kUsage}, also for a flag that none of them has.
void apply_feature_flags(std::span<const std::pair<std::string, std::string>> flags, std::span<FeatureRequest> requests);

// "cambi, psnr"
std::string names_of(std::span<const FeatureRequest> requests);

}  // namespace vq::cli
