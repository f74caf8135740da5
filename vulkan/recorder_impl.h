// What a recording is made of. Private to this folder.
#pragma once

#include "vulkan/buffer_impl.h"
#include "vulkan/recorder.h"

namespace vq::vulkan {

struct CommandList::Impl {
  std::shared_ptr<Device> device;
  vk::raii::CommandPool command_pool{nullptr};
  vk::raii::CommandBuffer commands{nullptr};
  std::vector<vk::raii::DescriptorPool> descriptor_pools;
  vk::raii::QueryPool queries{nullptr};
  vk::raii::Fence fence{nullptr};
  std::vector<std::string> stages;  // one query at the start, one at the end of each
  int barriers = 0;
  bool submitted = false;
};

}  // namespace vq::vulkan
