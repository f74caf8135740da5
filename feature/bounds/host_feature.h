// The bounds of the picture on the CPU.
#pragma once

#include <memory>

#include "feature/bounds/plan.h"
#include "feature/feature.h"

namespace vq::bounds {

std::unique_ptr<HostFeature> make_host_feature(const BoundsPlan& plan, const Execution& execution);

}  // namespace vq::bounds
