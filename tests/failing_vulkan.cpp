// A Vulkan layer, between the loader and the driver, that spoils one thing of one device at a time:
// CAMBI_VULKAN_FAULT=CALL:AT:RESULT  the AT-th use (from 0) of vkAllocateMemory, vkMapMemory, vkQueueSubmit,
//                                    vkWaitForFences or vkCreateComputePipelines returns RESULT and does
//                                    nothing; of vkCmdDispatch, which returns nothing, it is not recorded.
//                                    With AT+ the later ones as well: so a device that works on answers no
//                                    more.
// CAMBI_VULKAN_PAUSE=MS              each such use takes so long
// CAMBI_VULKAN_WAITS=FILE            gets a line for each such use of vkWaitForFences: the time it was to
// wait,
//                                    in nanoseconds
// CAMBI_VULKAN_LACKS=WHAT            the device has no "16-bit storage", or only Vulkan 1.1 ("version"), 32
//                                    "invocations" in a work group, 4 "buffers", or 1 KiB of "shared memory"
#include <vulkan/vulkan.h>
// After it.
#include <vulkan/vk_layer.h>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <type_traits>

namespace {

PFN_vkGetInstanceProcAddr next_of_instance = nullptr;
PFN_vkGetDeviceProcAddr next_of_device = nullptr;
VkDevice the_device = nullptr;

// Of what lies below. Looked up while the instance is made: later, the loader would give the layer itself.
struct NextOfInstance {
  PFN_vkCreateDevice create_device = nullptr;
  PFN_vkGetPhysicalDeviceProperties get_properties = nullptr;
  PFN_vkGetPhysicalDeviceFeatures2 get_features = nullptr;
} below;

struct Fault {
  Fault() {
    const char* const text = std::getenv("CAMBI_VULKAN_FAULT");
    if (text == nullptr) return;
    const std::string all = text;
    const size_t first = all.find(':'), second = all.find(':', first + 1);
    call = all.substr(0, first);
    at = std::stol(all.substr(first + 1));
    from_then_on = all[second - 1] == '+';
    result = static_cast<VkResult>(std::stol(all.substr(second + 1)));
  }
  std::string call;
  long at = 0;
  bool from_then_on = false;
  VkResult result = VK_SUCCESS;
  std::atomic<long> uses = 0;
};

Fault& fault() {
  static Fault the_fault;
  return the_fault;
}

bool fails(const char* call) {
  if (fault().call != call) return false;
  const long use = fault().uses++;
  if (use != fault().at && (use < fault().at || !fault().from_then_on)) return false;
  const char* const pause = std::getenv("CAMBI_VULKAN_PAUSE");
  if (pause != nullptr) std::this_thread::sleep_for(std::chrono::milliseconds(std::atol(pause)));
  return true;
}

void log_wait(uint64_t timeout) {
  const char* const path = std::getenv("CAMBI_VULKAN_WAITS");
  if (path == nullptr) return;
  const std::string line = std::to_string(timeout) + "\n";
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0 || write(fd, line.data(), line.size()) < 0) std::abort();
  close(fd);
}

bool lacks(const char* what) {
  const char* const chosen = std::getenv("CAMBI_VULKAN_LACKS");
  return chosen != nullptr && std::strcmp(chosen, what) == 0;
}

template <typename Function>
Function of_device(const char* name) {
  return reinterpret_cast<Function>(next_of_device(the_device, name));
}

constexpr const char* kCalls[] = {"vkAllocateMemory", "vkMapMemory", "vkQueueSubmit",
                                  "vkCreateComputePipelines"};

// The call of that number in kCalls.
template <typename Function>
struct Call;
template <typename... Parameters>
struct Call<VkResult(VKAPI_PTR*)(Parameters...)> {
  template <int kNumber>
  static VKAPI_ATTR VkResult VKAPI_CALL make(Parameters... parameters) {
    if (fails(kCalls[kNumber])) return fault().result;
    return of_device<VkResult(VKAPI_PTR*)(Parameters...)>(kCalls[kNumber])(parameters...);
  }
};

VKAPI_ATTR VkResult VKAPI_CALL wait_for_fences(VkDevice device, uint32_t count, const VkFence* fences,
                                               VkBool32 all, uint64_t timeout) {
  if (!fails("vkWaitForFences"))
    return of_device<PFN_vkWaitForFences>("vkWaitForFences")(device, count, fences, all, timeout);
  log_wait(timeout);
  return fault().result;
}

VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
  if (!fails("vkCmdDispatch")) of_device<PFN_vkCmdDispatch>("vkCmdDispatch")(commands, x, y, z);
}

void spoil(VkPhysicalDeviceProperties& properties) {
  if (lacks("version")) properties.apiVersion = VK_API_VERSION_1_1;
  if (lacks("invocations")) properties.limits.maxComputeWorkGroupInvocations = 32;
  if (lacks("buffers")) properties.limits.maxPerStageDescriptorStorageBuffers = 4;
  if (lacks("shared memory")) properties.limits.maxComputeSharedMemorySize = 1024;
}

VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
  below.get_properties(device, properties);
  spoil(*properties);
}

VKAPI_ATTR void VKAPI_CALL get_features(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* features) {
  below.get_features(device, features);
  auto* next = static_cast<VkBaseOutStructure*>(features->pNext);
  for (; next != nullptr; next = next->pNext) {
    if (next->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES || !lacks("16-bit storage"))
      continue;
    reinterpret_cast<VkPhysicalDeviceVulkan11Features*>(next)->storageBuffer16BitAccess = VK_FALSE;
  }
}

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

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* create,
                                               const VkAllocationCallbacks* allocator, VkInstance* instance) {
  next_of_instance =
      take_link<VkLayerInstanceCreateInfo>(create->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO)
          ->pfnNextGetInstanceProcAddr;
  const auto next = reinterpret_cast<PFN_vkCreateInstance>(next_of_instance(nullptr, "vkCreateInstance"));
  const VkResult result = next(create, allocator, instance);
  if (result != VK_SUCCESS) return result;
  const auto look_up = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(next_of_instance(*instance, name));
  };
  look_up(below.create_device, "vkCreateDevice");
  look_up(below.get_properties, "vkGetPhysicalDeviceProperties");
  look_up(below.get_features, "vkGetPhysicalDeviceFeatures2");
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* create,
                                             const VkAllocationCallbacks* allocator, VkDevice* device) {
  next_of_device =
      take_link<VkLayerDeviceCreateInfo>(create->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO)
          ->pfnNextGetDeviceProcAddr;
  const VkResult result = below.create_device(physical, create, allocator, device);
  the_device = *device;
  return result;
}

template <typename Function>
PFN_vkVoidFunction erased(Function function) {
  return reinterpret_cast<PFN_vkVoidFunction>(function);
}

PFN_vkVoidFunction own_for_devices(const std::string& name) {
  if (name == kCalls[0]) return erased(Call<PFN_vkAllocateMemory>::make<0>);
  if (name == kCalls[1]) return erased(Call<PFN_vkMapMemory>::make<1>);
  if (name == kCalls[2]) return erased(Call<PFN_vkQueueSubmit>::make<2>);
  if (name == kCalls[3]) return erased(Call<PFN_vkCreateComputePipelines>::make<3>);
  if (name == "vkWaitForFences") return erased(wait_for_fences);
  if (name == "vkCmdDispatch") return erased(dispatch);
  return nullptr;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find_for_device(VkDevice device, const char* name) {
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return erased(find_for_device);
  const PFN_vkVoidFunction own = own_for_devices(name);
  return own != nullptr ? own : next_of_device(device, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find(VkInstance instance, const char* name) {
  const std::string wanted = name;
  if (wanted == "vkGetInstanceProcAddr") return erased(find);
  if (wanted == "vkCreateInstance") return erased(create_instance);
  if (wanted == "vkCreateDevice") return erased(create_device);
  if (wanted == "vkGetDeviceProcAddr") return erased(find_for_device);
  if (wanted == "vkGetPhysicalDeviceProperties") return erased(get_properties);
  if (wanted == "vkGetPhysicalDeviceFeatures2") return erased(get_features);
  const PFN_vkVoidFunction own = own_for_devices(wanted);
  return own != nullptr ? own : next_of_instance(instance, name);
}

}  // namespace

extern "C" VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* version) {
  version->loaderLayerInterfaceVersion = 2;
  version->pfnGetInstanceProcAddr = find;
  version->pfnGetDeviceProcAddr = find_for_device;
  version->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
