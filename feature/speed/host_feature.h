// SpEED-QA on the CPU.
#pragma once

#include <memory>

#include "feature/speed/plan.h"

namespace vq::speed {

std::unique_ptr<HostFeature> make_chroma_feature(const SpeedPlan& plan, const Execution& execution);
std::unique_ptr<HostFeature> make_temporal_feature(const SpeedPlan& plan, const Execution& execution);

}  // namespace vq::speed
