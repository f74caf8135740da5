// Stands in for Vulkan's devices in a build without them.
#include "core/error.h"
#include "vulkan/device.h"

namespace vq::vulkan {

DeviceList list_devices(const Requirement&) {
  return {.devices = {}, .problem = "this build has no Vulkan (CAMBI_VULKAN=OFF)"};
}

std::vector<std::shared_ptr<Device>> open_devices(const DeviceOptions&) {
  throw Error(ErrorKind::kBackend, list_devices({}).problem);
}

int abandoned_work() {
  return 0;
}

}  // namespace vq::vulkan
