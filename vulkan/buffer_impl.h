// Implementation of buffers and pipelines. Private to this folder.
#pragma once

#include "vulkan/buffer.h"
#include "vulkan/device_impl.h"
#include "vulkan/pipeline.h"

namespace vq::vulkan {

struct Buffer::Impl {
  explicit Impl(std::shared_ptr<Device> on) : device(std::move(on)) { ++device->impl().allocations; }
  ~Impl() { --device->impl().allocations; }

  std::shared_ptr<Device> device;
  Memory memory = Memory::kDevice;
  bool is_coherent = true;  // host and device see each other's writes without flushing
  vk::raii::DeviceMemory allocation{nullptr};
  int64_t allocated_bytes = 0;
  vk::raii::Buffer buffer{nullptr};

  // The whole allocation, for flushing and invalidating: it needs no rounding.
  vk::MappedMemoryRange whole() const {
    return vk::MappedMemoryRange().setMemory(*allocation).setSize(VK_WHOLE_SIZE);
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
  std::shared_ptr<Device> device;
  vk::raii::DescriptorSetLayout set_layout{nullptr};
  vk::raii::PipelineLayout layout{nullptr};
  vk::raii::Pipeline pipeline{nullptr};
};

}  // namespace vq::vulkan
