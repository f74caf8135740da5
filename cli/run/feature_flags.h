// Flags of features, such as --topk, at work on the features of a run.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "feature/feature.h"

namespace vq::cli {

// Each with its text, as given.
using FlagTexts = std::vector<std::pair<std::string, std::string>>;

bool has_flag(const FeatureInfo& info, const std::string& name);

// Sets what the flags say of every request that has them; presets first, so that what is said one by one wins. Returns the
// flags that none of them has. Throws Error{kUsage} for what cannot be set.
FlagTexts apply_feature_flags(const FlagTexts& flags, std::span<FeatureRequest> requests);

// Throws Error{kUsage} for the first of these flags, where there is one, saying that it is for none of the requests.
void refuse_flags(const FlagTexts& flags, std::span<const FeatureRequest> requests);

// "cambi, psnr"
std::string names_of(std::span<const FeatureRequest> requests);

}  // namespace vq::cli
