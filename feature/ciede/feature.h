// CIEDE2000 as the registry lists it.
#pragma once

#include "feature/feature.h"

namespace vq::ciede {

const FeatureInfo& feature_info();

}  // namespace vq::ciede
