// What a recording is made of. Private to this folder.
#pragma once

#include <set>

#include "vulkan/buffer_impl.h"
#include "vulkan/recorder.h"

namespace vq::vulkan {

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
  std::vector<std::string> stages;  // one query at the start, one at the end of each
  int barriers = 0;
  bool submitted = false;  // and not seen to be finished
  Impl* next_abandoned = nullptr;
};

}  // namespace vq::vulkan
