// PSNR-HVS as the registry lists it and on the CPU.
#pragma once

#include <memory>

#include "feature/psnr_hvs/plan.h"

namespace vq::psnr_hvs {

const FeatureInfo& feature_info();

// On the CPU.
std::unique_ptr<HostFeature> make_host_feature(const PsnrHvsPlan& plan, const Execution& execution);

}  // namespace vq::psnr_hvs
