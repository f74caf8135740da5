// Comparison of what work needs with a device's limits: the one place where limits are compared.
#pragma once

#include <array>
#include <initializer_list>
#include <string>

#include "vulkan/device.h"
#include "vulkan/shader.h"

namespace vq::vulkan {

// Why the device cannot run it, with the numbers; empty if it can.
std::string unsupported_reason(const DeviceInfo& device, const ShaderNeeds& needs);
// The same for several shaders, with their default constants.
std::string unsupported_reason(const DeviceInfo& device, std::initializer_list<Shader> shaders);
// For a dispatch of this number of work groups.
std::string unsupported_dispatch_reason(const DeviceInfo& device, const std::array<uint32_t, 3>& groups);
// For a buffer that shaders use.
std::string unsupported_buffer_reason(const DeviceInfo& device, int64_t bytes);
// For memory of the device.
std::string unsupported_memory_reason(const DeviceInfo& device, int64_t bytes);

}  // namespace vq::vulkan
