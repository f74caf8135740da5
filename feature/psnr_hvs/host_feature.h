// PSNR-HVS on the CPU.
#pragma once

#include <memory>

#include "feature/psnr_hvs/plan.h"

namespace vq::psnr_hvs {

std::unique_ptr<HostFeature> make_host_feature(const PsnrHvsPlan& plan, const Execution& execution);

}  // namespace vq::psnr_hvs
