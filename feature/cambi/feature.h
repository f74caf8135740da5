// CAMBI as the registry lists it.
#pragma once

#include "feature/feature.h"

namespace vq::cambi {

// The registry's entry. Heatmap samples are the c-values times CambiPlan::heatmap_factor (plan.h), truncated and
// saturated to 16 bits, for the distorted video only.
const FeatureInfo& feature_info();

}  // namespace vq::cambi
