// Every feature this program can compute.
#pragma once

#include <span>
#include <string_view>

#include "feature/feature.h"

namespace vq {

std::span<const FeatureInfo* const> features();

// The feature that is computed by default.
const FeatureInfo& default_feature();

// By its name or alias. Throws Error{kUsage} for an unknown name, with the nearest one.
const FeatureInfo& find_feature(std::string_view name);

}  // namespace vq
