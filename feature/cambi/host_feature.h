// CAMBI on the CPU.
#pragma once

#include <memory>

#include "feature/cambi/plan.h"

namespace vq::cambi {

// Throws Error{kMismatch} as make_plans and std::bad_alloc.
std::unique_ptr<HostFeature> make_host_feature(const CambiOptions& options, const InputFormats& formats,
                                               const Execution& execution);

FeatureMemory host_feature_memory(const CambiPlans& plans, const Execution& execution);

}  // namespace vq::cambi
