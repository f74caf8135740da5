#include "vulkan/doubles.h"

#include "vulkan/device_impl.h"

namespace vq::vulkan {

bool has_doubles(const Device& device) {
  return device.impl().physical.getFeatures().shaderFloat64 == VK_TRUE;
}

}  // namespace vq::vulkan
