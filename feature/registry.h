// Every feature this program can compute.
#pragma once

#include <span>
#include <string_view>

#include "core/extractor.h"

namespace vq {

std::span<const FeatureInfo* const> features();

// Throws Error{kUsage} for an unknown name, with the nearest one.
const FeatureInfo& find_feature(std::string_view name);

}  // namespace vq
