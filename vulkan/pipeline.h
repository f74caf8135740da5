// A compute shader made ready for a device.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "vulkan/device.h"
#include "vulkan/shader.h"

namespace vq::vulkan {

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
  std::span<const Access> accesses() const { return accesses_; }

  struct Impl;
  const std::shared_ptr<const Impl>& impl() const { return impl_; }

 private:
  std::string name_;
  std::span<const Access> accesses_;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace vq::vulkan
