#include "vulkan/limits.h"

namespace vq::vulkan {
namespace {

std::string whole_megabytes(int64_t bytes) {
  return std::to_string((bytes + 999'999) / 1'000'000) + " MB";
}

template <typename Number>
std::string product(const std::array<Number, 3>& sizes) {
  return std::to_string(sizes[0]) + "x" + std::to_string(sizes[1]) + "x" + std::to_string(sizes[2]);
}

template <typename Number>
bool exceeds(const std::array<Number, 3>& sizes, const std::array<int64_t, 3>& limits) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (static_cast<int64_t>(sizes[i]) > limits[i]) return true;
  }
  return false;
}

}  // namespace

std::string unsupported_reason(const DeviceInfo& device, const ShaderNeeds& needs) {
  const auto at_most = [](const std::string& what, const std::string& needed) {
    return what + "; " + needed + " are needed";
  };
  if (needs.invocations() > device.max_invocations) {
    return at_most("work groups of at most " + std::to_string(device.max_invocations) + " invocations",
                   std::to_string(needs.invocations()));
  }
  if (exceeds(needs.group_size, device.max_group_size)) {
    return at_most("work groups of at most " + product(device.max_group_size) + " invocations",
                   product(needs.group_size));
  }
  if (needs.shared_bytes > device.shared_memory_bytes) {
    return at_most(
        "work groups share at most " + std::to_string(device.shared_memory_bytes) + " bytes of memory",
        std::to_string(needs.shared_bytes));
  }
  if (needs.storage_buffers > device.max_storage_buffers) {
    return at_most("shaders see at most " + std::to_string(device.max_storage_buffers) + " buffers",
                   std::to_string(needs.storage_buffers));
  }
  return "";
}

std::string unsupported_reason(const DeviceInfo& device, std::initializer_list<Shader> shaders) {
  for (const Shader& shader : shaders) {
    std::string reason = unsupported_reason(device, shader.needs({}));
    if (!reason.empty()) return reason;
  }
  return "";
}

std::string unsupported_dispatch_reason(const DeviceInfo& device, const std::array<uint32_t, 3>& groups) {
  if (!exceeds(groups, device.max_groups)) return "";
  return "a dispatch has at most " + product(device.max_groups) + " work groups; " + product(groups) +
         " are needed";
}

std::string unsupported_buffer_reason(const DeviceInfo& device, int64_t bytes) {
  if (bytes <= device.max_buffer_bytes) return "";
  return "shaders see at most " + whole_megabytes(device.max_buffer_bytes) + " of a buffer; " +
         whole_megabytes(bytes) + " are needed";
}

std::string unsupported_memory_reason(const DeviceInfo& device, int64_t bytes) {
  if (bytes <= device.memory_bytes) return "";
  return "the device has " + whole_megabytes(device.memory_bytes) + " of memory; " + whole_megabytes(bytes) +
         " are needed";
}

}  // namespace vq::vulkan
