// Histograms on the CPU.
#pragma once

#include <memory>

#include "feature/histogram/plan.h"

namespace vq::histogram {

std::unique_ptr<HostFeature> make_host_feature(const HistogramPlan& plan, const Execution& execution);

}  // namespace vq::histogram
