// The fingerprint on the CPU.
#pragma once

#include <memory>

#include "feature/fingerprint/plan.h"

namespace vq::fingerprint {

std::unique_ptr<HostFeature> make_host_feature(const FingerprintPlan& plan, const Execution& execution);

}  // namespace vq::fingerprint
