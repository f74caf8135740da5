#include "vulkan/shader.h"

#include "core/text.h"

namespace vq::vulkan {
namespace {

std::string whole_megabytes(int64_t bytes) { return words("{} MB", (bytes + 999'999) / 1'000'000); }

template <typename Number>
std::string product(const std::array<Number, 3>& sizes) {
  return words("{}x{}x{}", sizes[0], sizes[1], sizes[2]);
}

template <typename Number>
bool exceeds(const std::array<Number, 3>& sizes, const std::array<int64_t, 3>& limits) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (static_cast<int64_t>(sizes[i]) > limits[i]) return true;
  }
  return false;
}

// Numbers of the SPIR-V specification, version 1.5.
constexpr size_t kHeaderWords = 5;
constexpr uint32_t kEntryPoint = 15, kExecutionMode = 16, kCapability = 17, kFloat64 = 10;

// A capability, and the mode of the same floats that needs it.
struct Declaration {
  bool FloatControls::*known;
  uint32_t capability, mode;
};
constexpr Declaration kDeclarations[] = {{&FloatControls::round_to_nearest, 4467, 4462},
                                         {&FloatControls::keep_special, 4466, 4461}};

void append(std::vector<uint32_t>& code, uint32_t operation, std::initializer_list<uint32_t> operands) {
  code.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | operation);
  code.insert(code.end(), operands);
}

}  // namespace

std::vector<uint32_t> code_for(const DeviceInfo& device, const Shader& shader) {
  const std::span<const uint32_t> code = shader.code;
  const auto operation_at = [&](size_t i) { return code[i] & 0xFFFF; };
  // Modes follow the entry point, which is one for each shader.
  size_t modes = kHeaderWords;
  bool has_doubles = false;
  for (; operation_at(modes) != kEntryPoint; modes += code[modes] >> 16)
    has_doubles = has_doubles || (operation_at(modes) == kCapability && code[modes + 1] == kFloat64);
  const uint32_t main = code[modes + 2];
  modes += code[modes] >> 16;

  std::vector<uint32_t> result(code.begin(), code.begin() + kHeaderWords), declared;
  for (const Declaration& each : kDeclarations) {
    const bool in_floats = device.floats.*each.known, in_doubles = has_doubles && device.doubles.*each.known;
    if (in_floats || in_doubles) append(result, kCapability, {each.capability});
    if (in_floats) append(declared, kExecutionMode, {main, each.mode, 32});
    if (in_doubles) append(declared, kExecutionMode, {main, each.mode, 64});
  }
  result.insert(result.end(), code.begin() + kHeaderWords, code.begin() + static_cast<std::ptrdiff_t>(modes));
  result.insert(result.end(), declared.begin(), declared.end());
  result.insert(result.end(), code.begin() + static_cast<std::ptrdiff_t>(modes), code.end());
  return result;
}

std::string unsupported_reason(const DeviceInfo& device, const ShaderNeeds& needs) {
  const auto at_most = [](const std::string& what, const std::string& needed) {
    return words("{}; {} are needed", what, needed);
  };
  if (needs.invocations() > device.max_invocations) {
    return at_most(words("work groups of at most {} invocations", device.max_invocations),
                   std::to_string(needs.invocations()));
  }
  if (exceeds(needs.group_size, device.max_group_size)) {
    return at_most(words("work groups of at most {} invocations", product(device.max_group_size)),
                   product(needs.group_size));
  }
  if (needs.shared_bytes > device.shared_memory_bytes) {
    return at_most(words("work groups share at most {} bytes of memory", device.shared_memory_bytes),
                   std::to_string(needs.shared_bytes));
  }
  if (needs.storage_buffers > device.max_storage_buffers) {
    return at_most(words("shaders see at most {} buffers", device.max_storage_buffers),
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
  return words("a dispatch has at most {} work groups; {} are needed", product(device.max_groups),
               product(groups));
}

std::string unsupported_buffer_reason(const DeviceInfo& device, int64_t bytes) {
  if (bytes <= device.max_buffer_bytes) return "";
  return words("shaders see at most {} of a buffer; {} are needed", whole_megabytes(device.max_buffer_bytes),
               whole_megabytes(bytes));
}

std::string unsupported_memory_reason(const DeviceInfo& device, int64_t bytes) {
  if (bytes <= device.memory_bytes) return "";
  return words("the device has {} of memory; {} are needed", whole_megabytes(device.memory_bytes),
               whole_megabytes(bytes));
}

}  // namespace vq::vulkan
