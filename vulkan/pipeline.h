// A compute shader compiled for a device.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "vulkan/device.h"
#include "vulkan/shader.h"

namespace vq::vulkan {

// The size of push constants that every device supports.
inline constexpr uint32_t kMaxPushBytes = 128;

// Equal pipelines of a device are one. It keeps them until it is closed, except for some beyond hundreds,
// which are released with the last of this object and the command lists that use them.
class Pipeline {
 public:
  // `constants` are the values of specialization constants 0, 1, ...; a bool is 0 or 1. Throws
  // Error{kBackend}.
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
