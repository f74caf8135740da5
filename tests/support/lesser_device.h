// Makes a device look as if it had less than it has, for the layer in failing_vulkan.cpp.
//
// CAMBI_VULKAN_LACKS=WHAT: the device has
//   version          only Vulkan 1.1
//   invocations      32 of them in a work group
//   buffers          4 of them for a shader
//   shared memory    1 KiB of it
//   everything       no optional feature, and limits as low as Vulkan allows, but for the size of work groups
//   and the number
//                    of buffers for a shader, which is 10
//   work groups      kFewGroups of them in a row of a dispatch; it leaves the others out
//   allocations      kFewAllocations of memory at a time
//   coherent memory  none: each side sees what the other wrote once that is flushed and invalidated
//   large buffers    shaders see only kSmallBuffer bytes of one
//   speed            it is an integrated one, which may be slow
//   conform          lacks things that Vulkan promises, and has to be opened with the extension that says so
#pragma once

#include <vulkan/vulkan.h>

namespace vq::test {

inline constexpr uint32_t kFewGroups = 7;
inline constexpr uint32_t kFewAllocations = 80;
inline constexpr uint32_t kSmallBuffer = 1'000'000;

bool lacks(const char* what);

void spoil(VkPhysicalDeviceProperties& properties);
void spoil(VkPhysicalDeviceFeatures& features);
void spoil(VkPhysicalDeviceMemoryProperties& memory);

// As vkEnumerateDeviceExtensionProperties, of a device that does not conform.
VkResult list_own_extension(uint32_t& count, VkExtensionProperties* extensions);
// What is asked for must be there. Takes out what the device below does not know.
VkResult check_opening(VkDeviceCreateInfo& create);

}  // namespace vq::test
