// VIF as the registry lists it.
#pragma once

#include "feature/feature.h"

namespace vq::vif {

const FeatureInfo& feature_info();

}  // namespace vq::vif
