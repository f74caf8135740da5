#include <cstring>

#include "vulkan/buffer_impl.h"

namespace vq::vulkan {
namespace {

using Flag = vk::MemoryPropertyFlagBits;

// In order of preference; the last of each list is what every device has.
std::vector<vk::MemoryPropertyFlags> wishes_for(Memory memory) {
  const vk::MemoryPropertyFlags visible = Flag::eHostVisible | Flag::eHostCoherent;
  switch (memory) {
    case Memory::kDevice:
      return {Flag::eDeviceLocal, {}};
    case Memory::kUpload:
      return {visible};
    case Memory::kReadback:
      return {visible | Flag::eHostCached, visible};
  }
  return {visible};
}

std::string megabytes(int64_t bytes) {
  return std::to_string((bytes + 999'999) / 1'000'000) + " MB";
}

}  // namespace

Buffer::Buffer() = default;
Buffer::~Buffer() = default;
Buffer::Buffer(Buffer&&) noexcept = default;
Buffer& Buffer::operator=(Buffer&&) noexcept = default;

Buffer::Buffer(const std::shared_ptr<Device>& device, Memory memory, int64_t bytes)
    : bytes_(bytes) {
  Device::Impl& on = device->impl();
  const auto impl = std::make_shared<Impl>();
  impl->device = device;
  impl->memory = memory;
  impl_ = impl;
  if (memory == Memory::kDevice && bytes > on.info.max_buffer_bytes) {
    throw Error(ErrorKind::kBackend, device->label() + ": a buffer of " + megabytes(bytes) +
                                         " is needed; the device's limit is " +
                                         megabytes(on.info.max_buffer_bytes) + ". Try --backend cpu.");
  }
  on.attempt(Call::kAllocateMemory, "allocating " + megabytes(bytes), [&] {
    using Usage = vk::BufferUsageFlagBits;
    impl->buffer =
        on.device.createBuffer({.size = static_cast<vk::DeviceSize>(bytes),
                                .usage = Usage::eStorageBuffer | Usage::eTransferSrc | Usage::eTransferDst});
    const vk::MemoryRequirements needs = impl->buffer.getMemoryRequirements();
    const std::vector<vk::MemoryPropertyFlags> wishes = wishes_for(memory);
    impl->allocation = on.device.allocateMemory(
        {.allocationSize = needs.size, .memoryTypeIndex = on.memory_type(needs.memoryTypeBits, wishes)});
    impl->buffer.bindMemory(*impl->allocation, 0);
  });
  if (memory == Memory::kDevice) return;
  on.attempt(Call::kMapMemory, "mapping " + megabytes(bytes),
             [&] { mapped_ = static_cast<std::byte*>(impl->allocation.mapMemory(0, VK_WHOLE_SIZE)); });
  std::memset(mapped_, 0, static_cast<size_t>(bytes));
}

}  // namespace vq::vulkan
