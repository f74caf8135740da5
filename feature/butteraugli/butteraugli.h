// Butteraugli: its entry in the registry.
#pragma once

#include <memory>

#include "feature/butteraugli/plan.h"
#include "feature/device_feature.h"
#include "feature/feature.h"

namespace vq::butteraugli {

// Names of the stages on a device.
inline constexpr std::string_view kLightStage = "light", kBandsStage = "bands", kCompareStage = "compare";

const FeatureInfo& feature_info();
extern const DeviceSupport kDeviceSupport;

// Butteraugli on the CPU.

std::unique_ptr<HostFeature> make_host_feature(const ButteraugliPlan& plan, const Execution& execution);
FeatureMemory host_memory(const ButteraugliPlan& plan, const VideoFormats& formats,
                          const Execution& execution);

// Bytes of a frame's heat map, if the execution requests them.
int64_t heatmap_bytes(PlaneSize size, const Execution& execution);

}  // namespace vq::butteraugli
