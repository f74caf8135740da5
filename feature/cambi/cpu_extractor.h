// CAMBI on the CPU: frames in parallel, each scored by one thread.
#pragma once

#include <memory>

#include "feature/cambi/plan.h"
#include "feature/cambi/stages.h"

namespace vq::cambi {

// Throws Error{kMismatch} as make_plans and std::bad_alloc.
std::unique_ptr<FeatureExtractor> make_cpu_extractor(const CambiOptions& options, const InputFormats& formats,
                                                     const Execution& execution);

// What make_cpu_extractor will allocate, in bytes.
int64_t cpu_extractor_bytes(const CambiPlans& plans, const Execution& execution);

}  // namespace vq::cambi
