// PSNR-HVS-M as libvmaf's feature psnr_hvs, as the registry lists it. It has no options.
#pragma once

#include "feature/feature.h"

namespace vq::psnr_hvs {

const FeatureInfo& feature_info();

}  // namespace vq::psnr_hvs
