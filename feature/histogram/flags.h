// What the program's command line has for histograms.
#pragma once

#include <span>

#include "feature/feature.h"

namespace vq::histogram {

std::span<const FeatureFlag> flags();

}  // namespace vq::histogram
