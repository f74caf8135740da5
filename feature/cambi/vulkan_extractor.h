// CAMBI with every stage on a Vulkan device: a picture goes up, five sums come back.
#pragma once

#include <memory>

#include "feature/cambi/plan.h"
#include "vulkan/device.h"

namespace vq::cambi {

// Opens Execution::device and checks it. Throws Error: kMismatch as make_plans, kUsage where no device or
// several are meant, kBackend where there is none, it cannot be used, or it fails its start-up check.
std::unique_ptr<FeatureExtractor> make_vulkan_extractor(const CambiOptions& options,
                                                        const InputFormats& formats,
                                                        const Execution& execution);

// The same on a device that is open. Throws Error: kMismatch, kBackend.
std::unique_ptr<FeatureExtractor> make_vulkan_extractor_on(const std::shared_ptr<vulkan::Device>& device,
                                                           const CambiOptions& options,
                                                           const InputFormats& formats,
                                                           const Execution& execution);

// What the shaders need of a device, whatever the plan.
vulkan::Requirement vulkan_requirement();

// What make_vulkan_extractor will allocate, on the host and on the device, in bytes.
int64_t vulkan_extractor_bytes(const CambiPlans& plans, const Execution& execution);

}  // namespace vq::cambi
