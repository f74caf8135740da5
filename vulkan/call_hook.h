// For tests: makes calls of a device fail.
#pragma once

#include "vulkan/device.h"

namespace vq::vulkan {

// The calls that can be made to fail by a CallHook.
enum class Call {
  kCreateDevice,
  kAllocateMemory,
  kMapMemory,
  kCreatePipeline,
  kSubmit,
  kWait,
  kStartUpCheck  // Context::require_same()
};

}  // namespace vq::vulkan
