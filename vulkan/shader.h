// A compute shader as the build made it, and what it asks of a device. shaders/embed.py writes these.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace vq::vulkan {

enum class Access { kRead, kWrite };  // kWrite may read as well

struct ShaderNeeds {
  std::array<int64_t, 3> group_size{1, 1, 1};  // invocations of a work group
  int64_t shared_bytes = 0;                    // that a work group shares
  int64_t storage_buffers = 0;                 // that the shader sees

  constexpr int64_t invocations() const { return group_size[0] * group_size[1] * group_size[2]; }
};

// Specialization constant `id` of a pipeline made with constants 0, 1, ...; `own` is the shader's value.
constexpr int64_t specialized(std::span<const uint32_t> constants, size_t id, uint32_t own) {
  return id < constants.size() ? constants[id] : own;
}

struct Shader {
  std::string_view name = {};             // "cambi_mask"
  std::span<const uint32_t> code = {};    // SPIR-V
  std::span<const Access> accesses = {};  // to bindings 0, 1, ... of set 0, all storage buffers
  ShaderNeeds (*needs)(std::span<const uint32_t> constants) = nullptr;
};

}  // namespace vq::vulkan
