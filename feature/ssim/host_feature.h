// SSIM and MS-SSIM on the CPU.
#pragma once

#include <memory>

#include "feature/ssim/plan.h"

namespace vq::ssim {

std::unique_ptr<HostFeature> make_host_feature(const SsimPlan& plan, const Execution& execution);

FeatureMemory host_memory(const SsimPlan& plan, const Execution& execution);

}  // namespace vq::ssim
