// Memory that shaders and copies work on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "vulkan/device.h"

namespace vq::vulkan {

enum class Memory {
  kDevice,    // the device's own; the host cannot see it
  kUpload,    // written by the host, read by the device
  kReadback,  // written by the device, read by the host through its caches
  kShared,    // the device's own, also for other interfaces on it; needs Device::can_share_memory()
  kStored,    // written and read by the host through its caches, read by the device; not every device has it
};

// Move-only. A buffer the host can see starts as zeros; device memory starts as anything. What is underneath
// goes with the last of this and the command lists that name it.
class Buffer {
 public:
  Buffer();
  // Throws Error{kBackend} where the memory is refused, or a buffer for shaders exceeds what they can see.
  Buffer(const std::shared_ptr<Device>& device, Memory memory, int64_t bytes);
  ~Buffer();
  Buffer(Buffer&&) noexcept;
  Buffer& operator=(Buffer&&) noexcept;

  // A part of one, which keeps all of it. For shaders `offset` is a multiple of kPlaneAlignment. Needs: it
  // lies within.
  Buffer part(int64_t offset, int64_t bytes) const;

  int64_t bytes() const { return bytes_; }
  int64_t offset() const { return offset_; }  // in what is underneath
  // Null for device memory. What the host reads here is valid after CommandList::wait, what it writes is seen
  // by work submitted afterwards.
  std::byte* mapped() const { return mapped_; }
  // Of shared memory: a file descriptor that stands for it (VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT), a
  // new one each time, which the caller or whoever imports it closes. Throws Error{kBackend}.
  int export_memory() const;
  int64_t allocated_bytes() const;  // of memory, as an importer must know it
  Memory memory() const;            // Needs: it is not empty

  struct Impl;
  const std::shared_ptr<const Impl>& impl() const { return impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
  int64_t bytes_ = 0, offset_ = 0;
  std::byte* mapped_ = nullptr;
};

}  // namespace vq::vulkan
