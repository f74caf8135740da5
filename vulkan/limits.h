// What work asks of a device and whether it has that: the one place where limits are compared.
#pragma once

#include <array>
#include <initializer_list>
#include <string>

#include "vulkan/pipeline.h"

namespace vq::vulkan {

// What a shader asks of the device that runs it.
struct ShaderNeeds {
  std::array<int64_t, 3> group_size{1, 1, 1};  // invocations of a work group
  int64_t shared_bytes = 0;                    // that a work group shares
  int64_t storage_buffers = 0;                 // that the shader sees

  int64_t invocations() const { return group_size[0] * group_size[1] * group_size[2]; }
};

// From the shader's own code, so that no second list can disagree with it. `constants` as for Pipeline.
// Throws Error{kInternal} for code that is not a compute shader, or needs what not every device has.
ShaderNeeds needs_of(const Shader& shader, std::span<const uint32_t> constants);

// Why the device cannot do it, with the numbers; empty where it can.
std::string unsupported_reason(const DeviceInfo& device, const ShaderNeeds& needs);
// The same of all these shaders, with the constants that they have themselves.
std::string unsupported_reason(const DeviceInfo& device, std::initializer_list<Shader> shaders);
// Of a dispatch of so many work groups.
std::string unsupported_dispatch_reason(const DeviceInfo& device, const std::array<uint32_t, 3>& groups);
// Of a buffer that shaders see.
std::string unsupported_buffer_reason(const DeviceInfo& device, int64_t bytes);

}  // namespace vq::vulkan
