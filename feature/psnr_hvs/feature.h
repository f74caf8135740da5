// PSNR-HVS as the registry lists it.
#pragma once

#include "feature/feature.h"

namespace vq::psnr_hvs {

const FeatureInfo& feature_info();

}  // namespace vq::psnr_hvs
