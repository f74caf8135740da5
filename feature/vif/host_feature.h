// VIF on the CPU.
#pragma once

#include <memory>

#include "feature/vif/plan.h"

namespace vq::vif {

// For videos of the plan. Frames with a sample above their depth's maximum are refused.
std::unique_ptr<HostFeature> make_host_feature(const VifPlan& plan, const InputFormats& formats, const Execution& execution);

FeatureMemory host_feature_memory(const VifPlan& plan, const Execution& execution);

}  // namespace vq::vif
