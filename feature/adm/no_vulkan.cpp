// Stands in for ADM on devices in a build without Vulkan.
#include "feature/adm/device.h"

namespace vq::adm {

const DeviceSupport* device_support() {
  return nullptr;
}

FeatureMemory device_memory(const AdmPlan&) {
  return {};
}

std::vector<StageBytes> device_stage_bytes(const AdmPlan&, const InputFormats&) {
  return {};
}

}  // namespace vq::adm
