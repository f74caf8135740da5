// Memory for shaders and copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "vulkan/device.h"

namespace vq::vulkan {

enum class Memory {
  kDevice,    // device memory that the host cannot see
  kUpload,    // written by the host, read by the device
  kReadback,  // written by the device, read by the host through its caches
  kShared,    // device memory that other interfaces can import; needs Device::can_share_memory()
  // written and read by the host through its caches, read by the device; not available on every device
  kStored,
};

// Move-only. A buffer the host can see is initialised to zero; device memory is not initialised. The memory
// is released with the last of this object, its parts, and the command lists that use it.
class Buffer {
 public:
  Buffer();
  // Throws Error{kBackend} if the memory is refused, or a buffer for shaders exceeds their limit.
  Buffer(const std::shared_ptr<Device>& device, Memory memory, int64_t bytes);
  ~Buffer();
  Buffer(Buffer&&) noexcept;
  Buffer& operator=(Buffer&&) noexcept;

  // A part of the buffer, which keeps all of it alive. For shaders `offset` is a multiple of kPlaneAlignment.
  // Needs: the part is within the buffer.
  Buffer part(int64_t offset, int64_t bytes) const;

  int64_t bytes() const { return bytes_; }
  int64_t offset() const { return offset_; }  // in the underlying memory
  // Null for device memory. The host may read after CommandList::wait; its writes are seen by work that is
  // submitted afterwards.
  std::byte* mapped() const { return mapped_; }
  // For shared memory: a new file descriptor (VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT), which the caller
  // or the importer closes. Throws Error{kBackend}.
  int export_memory() const;
  int64_t allocated_bytes() const;  // the size of the memory, for importers
  Memory memory() const;            // Needs: it is not empty

  struct Impl;
  const std::shared_ptr<const Impl>& impl() const { return impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
  int64_t bytes_ = 0, offset_ = 0;
  std::byte* mapped_ = nullptr;
};

}  // namespace vq::vulkan
