// Stands in for histograms on devices in a build without Vulkan.
#include "feature/histogram/device.h"

namespace vq::histogram {

const DeviceSupport* device_support() {
  return nullptr;
}

FeatureMemory device_memory(const HistogramPlan&) {
  return {};
}

}  // namespace vq::histogram
