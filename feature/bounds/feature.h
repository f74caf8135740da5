// The bounds of the picture as the registry lists them.
#pragma once

#include "feature/feature.h"

namespace vq::bounds {

const FeatureInfo& feature_info();

}  // namespace vq::bounds
