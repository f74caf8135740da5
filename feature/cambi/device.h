// CAMBI on a Vulkan device: by the hybrid backend every stage up to the mode filter, with c-values and their pooling on the
// CPU's threads; by the vulkan backend all stages, so that five sums come back.
#pragma once

#include "feature/cambi/plan.h"
#include "feature/device_feature.h"

namespace vq::cambi {

// Null in a build without Vulkan.
const DeviceSupport* device_support();

// The context outlives the result. Throws Error: kMismatch as make_plans, kBackend for a device that fails its check.
std::unique_ptr<DeviceFeature> make_device_feature(const CambiOptions& options, const InputFormats& formats,
                                                   const Execution& execution, vulkan::Context& context);

FeatureMemory device_memory(const CambiPlans& plans, const Execution& execution);

}  // namespace vq::cambi
