// Stands in for Vulkan's devices in a build without them.
#include "vulkan/device.h"

namespace vq::vulkan {

DeviceList list_devices(const Requirement&) {
  return {.devices = {}, .problem = "this build has no Vulkan (CAMBI_VULKAN=OFF)"};
}

int abandoned_work() {
  return 0;
}

}  // namespace vq::vulkan
