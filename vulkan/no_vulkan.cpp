// Stands in for the list of devices in a build without Vulkan.
#include "vulkan/device.h"

namespace vq::vulkan {

DeviceList list_devices() {
  return {.devices = {}, .problem = "this build has no Vulkan (CAMBI_VULKAN=OFF)"};
}

}  // namespace vq::vulkan
