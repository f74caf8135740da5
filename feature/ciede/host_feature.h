// CIEDE2000 on the CPU.
#pragma once

#include <memory>

#include "feature/ciede/plan.h"

namespace vq::ciede {

std::unique_ptr<HostFeature> make_host_feature(const CiedePlan& plan, const Execution& execution);

FeatureMemory host_memory(const CiedePlan& plan, const Execution& execution);

}  // namespace vq::ciede
