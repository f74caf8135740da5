// The fingerprint as the registry lists it.
#pragma once

#include "feature/feature.h"

namespace vq::fingerprint {

const FeatureInfo& feature_info();

}  // namespace vq::fingerprint
