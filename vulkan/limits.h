// What work asks of a device and whether it has that: the one place where limits are compared.
#pragma once

#include <array>
#include <initializer_list>
#include <string>

#include "vulkan/device.h"
#include "vulkan/shader.h"

namespace vq::vulkan {

// Why the device cannot do it, with the numbers; empty where it can.
std::string unsupported_reason(const DeviceInfo& device, const ShaderNeeds& needs);
// The same of all these shaders, with the constants that they have themselves.
std::string unsupported_reason(const DeviceInfo& device, std::initializer_list<Shader> shaders);
// Of a dispatch of so many work groups.
std::string unsupported_dispatch_reason(const DeviceInfo& device, const std::array<uint32_t, 3>& groups);
// Of a buffer that shaders see.
std::string unsupported_buffer_reason(const DeviceInfo& device, int64_t bytes);

}  // namespace vq::vulkan
