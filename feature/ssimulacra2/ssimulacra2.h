// SSIMULACRA 2 as the registry lists it.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "feature/feature.h"
#include "feature/ssimulacra2/plan.h"

namespace vq::ssimulacra2 {

const FeatureInfo& feature_info();

// On a Vulkan device, which does all but the final sums: the hybrid and the vulkan backend are the same.
inline constexpr std::string_view kLightStage = "light", kHalveStage = "halve", kCompareStage = "compare";

extern const DeviceSupport kDeviceSupport;

// SSIMULACRA 2 on the host, and what every backend makes of a frame's sums.

// A sample of a heatmap times this is a number of points.
inline constexpr double kPointsPerLevel = 1.0 / 256;
// The score and, unless `local` is empty, a map of every scale of where it is lost: points, 0 where nothing
// is. The points that a frame has lost are shared out in proportion to CompareOutput::local, which `local`
// has of each scale.
FrameResult frame_result(const Plan& plan, std::span<const ScaleTotals> totals,
                         std::span<const PlaneView<const float>> local);

std::unique_ptr<HostFeature> make_host_feature(const Plan& plan, const Execution& execution);
FeatureMemory host_memory(const Plan& plan, const VideoFormats& formats, const Execution& execution);

}  // namespace vq::ssimulacra2
