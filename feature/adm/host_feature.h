// ADM on the CPU.
#pragma once

#include <memory>

#include "feature/adm/plan.h"

namespace vq::adm {

// For videos of the plan. Frames with a sample above their depth's maximum are refused.
std::unique_ptr<HostFeature> make_host_feature(const AdmPlan& plan, const InputFormats& formats, const Execution& execution);

// What that allocates for work.
FeatureMemory host_memory(const AdmPlan& plan, const Execution& execution);

}  // namespace vq::adm
