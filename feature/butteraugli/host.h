// Butteraugli on the CPU.
#pragma once

#include <memory>

#include "feature/butteraugli/plan.h"
#include "feature/feature.h"

namespace vq::butteraugli {

std::unique_ptr<HostFeature> make_host_feature(const ButteraugliPlan& plan, const Execution& execution);
FeatureMemory host_memory(const ButteraugliPlan& plan, const VideoFormats& formats,
                          const Execution& execution);

// Bytes of a frame's heat map, if the execution requests them.
int64_t heatmap_bytes(PlaneSize size, const Execution& execution);

}  // namespace vq::butteraugli
