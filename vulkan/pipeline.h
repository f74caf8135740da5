// A compute shader made ready for a device.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vulkan/device.h"

namespace vq::vulkan {

// A compute shader as the build made it: SPIR-V whose storage buffers are bindings 0, 1, ... of set 0.
struct Shader {
  std::string_view name;
  std::span<const uint32_t> code;
};

enum class Access { kRead, kWrite };  // kWrite may read as well

// What a shader does to each of its bindings, from the `readonly` of its declarations. Throws
// Error{kInternal} for code that is not such a shader.
std::vector<Access> shader_accesses(const Shader& shader);

// Push constants any device takes.
inline constexpr uint32_t kMaxPushBytes = 128;

// What is underneath goes with the last of this and the command lists that name it.
class Pipeline {
 public:
  // `constants` are those of specialization constant 0, 1, ...; a bool is 0 or 1. Throws Error{kBackend}.
  Pipeline(const std::shared_ptr<Device>& device, const Shader& shader, std::span<const uint32_t> constants);
  ~Pipeline();
  Pipeline(Pipeline&&) noexcept;
  Pipeline& operator=(Pipeline&&) noexcept;

  const std::string& name() const { return name_; }
  const std::vector<Access>& accesses() const { return accesses_; }

  struct Impl;
  const std::shared_ptr<const Impl>& impl() const { return impl_; }

 private:
  std::string name_;
  std::vector<Access> accesses_;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace vq::vulkan
