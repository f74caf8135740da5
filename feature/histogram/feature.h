// Histograms as the registry lists them.
#pragma once

#include "feature/feature.h"

namespace vq::histogram {

const FeatureInfo& feature_info();

}  // namespace vq::histogram
