// ADM as the registry lists it.
#pragma once

#include "feature/feature.h"

namespace vq::adm {

const FeatureInfo& feature_info();

}  // namespace vq::adm
