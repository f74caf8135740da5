// CIEDE2000 as the registry lists it and on the CPU.
#pragma once

#include <memory>

#include "feature/ciede/plan.h"

namespace vq::ciede {

const FeatureInfo& feature_info();

// On the CPU.
std::unique_ptr<HostFeature> make_host_feature(const CiedePlan& plan, const Execution& execution);

FeatureMemory host_memory(const CiedePlan& plan, const Execution& execution);

}  // namespace vq::ciede
