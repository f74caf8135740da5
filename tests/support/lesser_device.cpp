#include "tests/support/lesser_device.h"

#include <cstdlib>
#include <cstring>

namespace vq::test {
namespace {

// A device that has it must be opened with it.
constexpr const char* kDoesNotConform = "VK_KHR_portability_subset";

void spoil_everything(VkPhysicalDeviceLimits& limits) {
  limits.maxComputeSharedMemorySize = 16384;
  limits.maxComputeWorkGroupInvocations = 256;
  for (uint32_t i = 0; i < 3; ++i) {
    limits.maxComputeWorkGroupSize[i] = i == 2 ? 64 : 256;
    limits.maxComputeWorkGroupCount[i] = 65535;
  }
  limits.maxStorageBufferRange = 1U << 27;
  limits.maxPerStageDescriptorStorageBuffers = 10;
  limits.maxMemoryAllocationCount = 4096;
}

// Features of later versions come in structures of their own, beside which there is what the loader adds, and
// the one that Vulkan 1.2 promises and has asked for all the same.
bool wants_features(const VkDeviceCreateInfo& create) {
  auto* next = static_cast<const VkBaseInStructure*>(create.pNext);
  for (; next != nullptr; next = next->pNext) {
    const bool is_promised = next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES;
    if (!is_promised && next->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO) return true;
  }
  const VkPhysicalDeviceFeatures none = {};
  return create.pEnabledFeatures != nullptr && std::memcmp(create.pEnabledFeatures, &none, sizeof none) != 0;
}

}  // namespace

bool lacks(const char* what) {
  const char* const chosen = std::getenv("CAMBI_VULKAN_LACKS");
  return chosen != nullptr && std::strcmp(chosen, what) == 0;
}

void spoil(VkPhysicalDeviceProperties& properties) {
  if (lacks("version")) properties.apiVersion = VK_API_VERSION_1_1;
  if (lacks("invocations")) properties.limits.maxComputeWorkGroupInvocations = 32;
  if (lacks("buffers")) properties.limits.maxPerStageDescriptorStorageBuffers = 4;
  if (lacks("shared memory")) properties.limits.maxComputeSharedMemorySize = 1024;
  if (lacks("work groups")) properties.limits.maxComputeWorkGroupCount[0] = kFewGroups;
  if (lacks("allocations")) properties.limits.maxMemoryAllocationCount = kFewAllocations;
  if (lacks("large buffers")) properties.limits.maxStorageBufferRange = kSmallBuffer;
  if (lacks("speed")) properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  if (lacks("everything")) spoil_everything(properties.limits);
}

void spoil(VkPhysicalDeviceFeatures& features) {
  if (lacks("everything")) features = {};
}

void spoil(VkPhysicalDeviceMemoryProperties& memory) {
  if (!lacks("coherent memory")) return;
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    memory.memoryTypes[i].propertyFlags &= ~VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_HOST_COHERENT_BIT};
  }
}

VkResult list_own_extension(uint32_t& count, VkExtensionProperties* extensions) {
  if (extensions != nullptr && count == 0) return VK_INCOMPLETE;
  count = 1;
  if (extensions == nullptr) return VK_SUCCESS;
  *extensions = {};
  std::strcpy(extensions->extensionName, kDoesNotConform);
  return VK_SUCCESS;
}

VkResult check_opening(VkDeviceCreateInfo& create) {
  if (lacks("everything") && wants_features(create)) return VK_ERROR_FEATURE_NOT_PRESENT;
  if (!lacks("conform")) return VK_SUCCESS;
  const bool knows = create.enabledExtensionCount == 1 &&
                     std::strcmp(create.ppEnabledExtensionNames[0], kDoesNotConform) == 0;
  create.enabledExtensionCount = 0;
  return knows ? VK_SUCCESS : VK_ERROR_EXTENSION_NOT_PRESENT;
}

}  // namespace vq::test
