// Implementation of recordings. Private to this folder.
#pragma once

#include <list>
#include <set>

#include "vulkan/device_impl.h"
#include "vulkan/recorder.h"

namespace vq::vulkan {

// Memory that other interfaces, such as CUDA, write; they synchronise with the device by waiting on the host.
// Ownership is acquired before the first use in a command buffer and released after the last.
class SharedMemory {
 public:
  // Does nothing for other kinds of memory, and for what is acquired already.
  void acquire(const vk::raii::CommandBuffer& commands, const Buffer& buffer);
  // Releases all that was acquired.
  void release(const vk::raii::CommandBuffer& commands);

 private:
  std::vector<vk::BufferMemoryBarrier> acquired_;
};

struct CommandList::Impl {
  Impl() : place(1, this) {}
  ~Impl() { set_submitted(false); }
  Impl& operator=(Impl&&) = delete;

  // Whether the device may be at work on it; if so, wait_for_submitted() knows it.
  void set_submitted(bool is) noexcept;

  std::shared_ptr<Device> device;
  std::set<std::shared_ptr<const void>> named;  // buffers and pipelines
  // Ranges of the buffers that are not coherent: flushed before the work and invalidated after it.
  std::vector<vk::MappedMemoryRange> uploads, readbacks;
  vk::raii::CommandPool command_pool{nullptr};
  std::vector<vk::raii::CommandBuffer> earlier;  // submitted before `commands`, each for itself
  vk::raii::CommandBuffer commands{nullptr};
  std::vector<vk::raii::DescriptorPool> descriptor_pools;
  vk::raii::QueryPool queries{nullptr};
  vk::raii::Fence fence{nullptr};
  Queue* queue = nullptr;                           // of the last submission
  std::vector<std::shared_ptr<CommandList>> first;  // see Order; of the last submission
  std::vector<std::string> stages;                  // one query at the start, one at the end of each
  int barriers = 0;
  int64_t largest_binding = 0, bytes_read = 0;
  bool submitted = false;        // and not known to have finished
  std::list<const Impl*> place;  // its own, while it is not in the list of those
};

struct Upload::Impl {
  std::shared_ptr<Device> device;
  // Owned by the lists that signal it and wait for it while they may be running, as is the next.
  std::shared_ptr<const vk::raii::Semaphore> semaphore;
  std::shared_ptr<const vk::raii::Semaphore> brought;  // signalled behind the dispatches: see Order::shares
  std::unique_ptr<CommandList::Impl, CommandList::Retire> list;  // of the copies
  // Dispatches for the queue of the list behind it, which owns this.
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

// Whether the device no longer uses what was submitted.
bool has_finished(const CommandList::Impl& list);
// Waits until submitted work has finished. Returns eSuccess, eTimeout, kProcessEnds, or the failure.
vk::Result wait_for(const CommandList::Impl& list, std::chrono::milliseconds timeout) noexcept;
// Waits for all submitted work of the process, on any device. Needs: no other thread is in a driver.
void wait_for_submitted(std::chrono::steady_clock::time_point end) noexcept;
// The validation layer inspects finished work on a thread of its own, and must not be destroyed before.
void let_validation_finish(const CommandList::Impl& list);
// The difference of two timestamps of a queue family.
double milliseconds_between(const Device::Impl& on, uint32_t family, uint64_t from, uint64_t to);

}  // namespace vq::vulkan
