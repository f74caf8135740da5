// What a recording is made of. Private to this folder.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "vulkan/buffer_impl.h"
#include "vulkan/upload.h"

namespace vq::vulkan {

// Memory that others than Vulkan write, such as CUDA, which order themselves against the device's work by
// waiting on the host: before its first use in a command buffer it is taken from them, and behind the last it
// is theirs again.
class SharedMemory {
 public:
  // Does nothing for memory of other kinds. Needs: it is not acquired yet.
  void acquire(const vk::raii::CommandBuffer& commands, const std::shared_ptr<const Buffer::Impl>& buffer);
  // All that was acquired.
  void release(const vk::raii::CommandBuffer& commands);

 private:
  std::vector<std::shared_ptr<const Buffer::Impl>> acquired_;
};

struct CommandList::Impl {
  std::shared_ptr<Device> device;
  std::set<std::shared_ptr<const void>> named;  // buffers and pipelines
  // Of the buffers that are not coherent: what is flushed before the work and invalidated behind it.
  std::vector<vk::MappedMemoryRange> uploads, readbacks;
  vk::raii::CommandPool command_pool{nullptr};
  vk::raii::CommandBuffer commands{nullptr};
  std::vector<vk::raii::DescriptorPool> descriptor_pools;
  vk::raii::QueryPool queries{nullptr};
  vk::raii::Fence fence{nullptr};
  Queue* queue = nullptr;           // submitted to
  std::vector<std::string> stages;  // one query at the start, one at the end of each
  std::vector<int64_t> most_bytes;  // of each
  int barriers = 0;
  bool submitted = false;  // and not seen to be finished
  Impl* next_abandoned = nullptr;
};

struct Upload::Impl {
  std::shared_ptr<Device> device;
  // Kept by the list, and by the one behind it, while they may be at work.
  std::shared_ptr<const vk::raii::Semaphore> semaphore;
  std::unique_ptr<CommandList::Impl, CommandList::Retire> list;  // of the copies
  // For those on the queue of the list behind it, which keeps this.
  struct Dispatches {
    std::shared_ptr<Device> device;
    std::set<std::shared_ptr<const void>> named;
    std::vector<vk::MappedMemoryRange> uploads;
    vk::raii::CommandPool command_pool{nullptr};
    vk::raii::CommandBuffer commands{nullptr};
    vk::raii::DescriptorPool descriptors{nullptr};
    uint32_t count = 0, most = 0;
    SharedMemory shared;
  };
  std::shared_ptr<Dispatches> dispatches;
  SharedMemory shared;  // of the copies
  int copies = 0;
};

// Whether the device will not touch what was submitted any more.
bool has_finished(const CommandList::Impl& list);
// Waits until what was submitted is done. Returns eSuccess, eTimeout, or what went wrong.
vk::Result wait_for(const CommandList::Impl& list, std::chrono::milliseconds timeout) noexcept;
// The validation layer looks at finished work on a thread of its own, and never again once it is destroyed.
void let_validation_finish(const CommandList::Impl& list);
// Of timestamps of a family of queues, their differences.
double milliseconds_between(const Device::Impl& on, uint32_t family, uint64_t from, uint64_t to);

}  // namespace vq::vulkan
