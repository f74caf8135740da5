// Which devices have doubles, beyond what every device has.
#pragma once

#include "vulkan/device.h"

namespace vq::vulkan {

// Whether shaders may compute in double. Others must not make a pipeline of a shader that does.
bool has_doubles(const Device& device);

}  // namespace vq::vulkan
