// CAMBI's entry in the registry, on the CPU and on a Vulkan device.
#pragma once

#include <memory>
#include <vector>

#include "feature/cambi/plan.h"
#include "feature/feature.h"

namespace vq::cambi {

// The registry's entry. Heatmap samples are the c-values times CambiPlan::heatmap_factor (plan.h), truncated
// and saturated to 16 bits, for the distorted video only.
const FeatureInfo& feature_info();

std::unique_ptr<HostFeature> make_host_feature(const CambiPlans& plans, const Execution& execution);

// On a Vulkan device: by the hybrid backend every stage up to the mode filter, with c-values and their
// pooling on the CPU's threads; by the vulkan backend all stages, so that five sums come back.
extern const DeviceSupport kDeviceSupport;

// The context outlives the result. Throws Error{kBackend} for a device that fails its check.
std::unique_ptr<DeviceFeature> make_device_feature(const CambiPlans& plans, const Execution& execution,
                                                   vulkan::Context& context);

// Remedies at the source come first if much of it has banding or it was not scored, as no encoder can repair
// that.
std::vector<Remedy> remedies(const ScoredVideo& video);

}  // namespace vq::cambi
