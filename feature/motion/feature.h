// Motion as the registry lists it.
#pragma once

#include "feature/feature.h"

namespace vq::motion {

const FeatureInfo& feature_info();

}  // namespace vq::motion
