// PSNR as the registry lists it.
#pragma once

#include "feature/feature.h"

namespace vq::psnr {

const FeatureInfo& feature_info();

}  // namespace vq::psnr
