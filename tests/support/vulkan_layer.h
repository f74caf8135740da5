// What layers between Vulkan's loader and a driver share.
#pragma once

#include <vulkan/vulkan.h>
// After Vulkan's own.
#include <vulkan/vk_layer.h>

namespace vq::test {

// The link to the next layer or driver, which is taken out of the chain.
template <typename Info>
auto take_link(const void* chain, VkStructureType type) {
  for (auto* info = static_cast<Info*>(const_cast<void*>(chain));;
       info = static_cast<Info*>(const_cast<void*>(info->pNext))) {
    if (info->sType != type || info->function != VK_LAYER_LINK_INFO) continue;
    auto* const link = info->u.pLayerInfo;
    info->u.pLayerInfo = link->pNext;
    return link;
  }
}

inline PFN_vkGetInstanceProcAddr take_next_of_instance(const VkInstanceCreateInfo& create) {
  return take_link<VkLayerInstanceCreateInfo>(create.pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO)
      ->pfnNextGetInstanceProcAddr;
}

inline PFN_vkGetDeviceProcAddr take_next_of_device(const VkDeviceCreateInfo& create) {
  return take_link<VkLayerDeviceCreateInfo>(create.pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO)
      ->pfnNextGetDeviceProcAddr;
}

template <typename Function>
PFN_vkVoidFunction erased(Function function) {
  return reinterpret_cast<PFN_vkVoidFunction>(function);
}

}  // namespace vq::test
