// SpEED-QA as the registry lists it.
#pragma once

#include "feature/feature.h"

namespace vq::speed {

const FeatureInfo& chroma_feature_info();
const FeatureInfo& temporal_feature_info();

}  // namespace vq::speed
