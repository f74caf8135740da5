// PSNR on the CPU.
#pragma once

#include <memory>

#include "feature/psnr/plan.h"

namespace vq::psnr {

std::unique_ptr<HostFeature> make_host_feature(const PsnrPlan& plan, const Execution& execution);

}  // namespace vq::psnr
