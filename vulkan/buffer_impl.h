// Implementation of buffers and pipelines. Private to this folder.
#pragma once

#include "vulkan/buffer.h"
#include "vulkan/device_impl.h"
#include "vulkan/pipeline.h"

namespace vq::vulkan {

// Memory for one buffer, or for several one after another: drivers take longer to allocate memory than to
// make anything else.
struct Allocation {
  Allocation(const Device::Impl& on, vk::MemoryAllocateInfo info)
      : memory(on.device.allocateMemory(info)),
        bytes(static_cast<int64_t>(info.allocationSize)),
        device(on),
        counted(on.is_in_largest_heap(info.memoryTypeIndex) ? bytes : 0) {
    ++device.allocations;
    device.allocated_bytes += counted;
  }
  ~Allocation() {
    --device.allocations;
    device.allocated_bytes -= counted;
  }
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  vk::raii::DeviceMemory memory;
  const int64_t bytes;
  int64_t used = 0;  // from the beginning on; guarded by the device's mutex
  const Device::Impl& device;
  const int64_t counted;  // of the device's memory
};

struct Buffer::Impl {
  explicit Impl(std::shared_ptr<Device> on) : device(std::move(on)) {}

  std::shared_ptr<Device> device;
  Memory memory = Memory::kDevice;
  bool is_coherent = true;                 // host and device see each other's writes without flushing
  std::shared_ptr<Allocation> allocation;  // of this buffer alone, except for Memory::kDevice
  vk::raii::Buffer buffer{nullptr};

  // The whole allocation, for flushing and invalidating: it needs no rounding.
  vk::MappedMemoryRange whole() const {
    return vk::MappedMemoryRange().setMemory(*allocation->memory).setSize(VK_WHOLE_SIZE);
  }
};

// For a shader's binding.
inline vk::DescriptorBufferInfo descriptor_of(const Buffer& buffer) {
  return vk::DescriptorBufferInfo()
      .setBuffer(*buffer.impl()->buffer)
      .setOffset(static_cast<vk::DeviceSize>(buffer.offset()))
      .setRange(static_cast<vk::DeviceSize>(buffer.bytes()));
}

struct Copy;
vk::BufferCopy region_of(const Copy& copy);

struct Pipeline::Impl {
  std::shared_ptr<Device> device;  // none: the device keeps it
  vk::raii::DescriptorSetLayout set_layout{nullptr};
  vk::raii::PipelineLayout layout{nullptr};
  vk::raii::Pipeline pipeline{nullptr};
};

}  // namespace vq::vulkan
