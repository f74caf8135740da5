// ADM on a Vulkan device. The hybrid and the vulkan backend are one: the device does all that is done for samples and rows,
// the host adds up a few hundred sums and makes scores of them.
#pragma once

#include "feature/adm/plan.h"
#include "feature/device_feature.h"

namespace vq::adm {

// Null in a build without Vulkan.
const DeviceSupport* device_support();

FeatureMemory device_memory(const AdmPlan& plan);

// See FeatureInfo::stage_bytes.
std::vector<StageBytes> device_stage_bytes(const AdmPlan& plan, const InputFormats& formats);

}  // namespace vq::adm
