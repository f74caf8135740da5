// SSIM and MS-SSIM as the registry lists them.
#pragma once

#include "feature/feature.h"

namespace vq::ssim {

const FeatureInfo& ssim_info();
const FeatureInfo& ms_ssim_info();

}  // namespace vq::ssim
