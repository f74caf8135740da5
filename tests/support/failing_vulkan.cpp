// A Vulkan layer, between the loader and the driver, that spoils one thing of one device at a time:
// CAMBI_VULKAN_FAULT=CALL:AT:RESULT  the AT-th use (from 0) of vkAllocateMemory, vkMapMemory, vkQueueSubmit,
//                                    vkWaitForFences or vkCreateComputePipelines returns RESULT and does
//                                    nothing; of vkCmdDispatch, which returns nothing, it is not recorded.
//                                    With AT+ the later ones as well: so a device that works on answers no
//                                    more. If failing_calls.cpp is loaded, uses count when its calls do.
// CAMBI_VULKAN_MARK=FILE             is made where that happens
// CAMBI_VULKAN_PAUSE=MS              each such use takes so long
// CAMBI_VULKAN_WAITS=FILE            gets a line for each such use of vkWaitForFences: the time it was to
//                                    wait, in nanoseconds
// CAMBI_VULKAN_LACKS=WHAT            see tests/support/lesser_device.h
#include "tests/support/lesser_device.h"
#include "tests/support/vulkan_layer.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

using namespace vq::test;

namespace {

PFN_vkGetInstanceProcAddr next_of_instance = nullptr;
PFN_vkGetDeviceProcAddr next_of_device = nullptr;
VkDevice the_device = nullptr;

// Of what lies below. Looked up while the instance is made: later, the loader would give the layer itself.
struct NextOfInstance {
  PFN_vkCreateDevice create_device = nullptr;
  PFN_vkGetPhysicalDeviceProperties get_properties = nullptr;
  PFN_vkGetPhysicalDeviceFeatures get_features = nullptr;
  PFN_vkGetPhysicalDeviceMemoryProperties get_memory = nullptr;
  PFN_vkEnumerateDeviceExtensionProperties get_extensions = nullptr;
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

void leave_mark() {
  const char* const path = std::getenv("CAMBI_VULKAN_MARK");
  if (path == nullptr) return;
  const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) std::abort();
  close(fd);
}

bool fails(const char* call) {
  if (fault().call != call) return false;
  static const auto kCounts = reinterpret_cast<bool (*)()>(dlsym(RTLD_DEFAULT, "failing_calls_count"));
  if (kCounts && !kCounts()) return false;
  const long use = fault().uses++;
  if (use != fault().at && (use < fault().at || !fault().from_then_on)) return false;
  leave_mark();
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
  if (lacks("work groups")) x = std::min(x, kFewGroups);
  if (!fails("vkCmdDispatch")) of_device<PFN_vkCmdDispatch>("vkCmdDispatch")(commands, x, y, z);
}

// Memory that is not coherent: what the program maps is a copy.
struct Copy {
  std::byte* real = nullptr;
  std::vector<std::byte> seen;
};
std::mutex copies_mutex;
std::map<VkDeviceMemory, VkDeviceSize> allocated;
std::map<VkDeviceMemory, Copy> copies;

VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice device, const VkMemoryAllocateInfo* info,
                                               const VkAllocationCallbacks* allocator,
                                               VkDeviceMemory* memory) {
  const std::lock_guard lock(copies_mutex);
  if (lacks("allocations") && allocated.size() >= kFewAllocations) return VK_ERROR_TOO_MANY_OBJECTS;
  const VkResult result = Call<PFN_vkAllocateMemory>::make<0>(device, info, allocator, memory);
  if (result == VK_SUCCESS) allocated[*memory] = info->allocationSize;
  return result;
}

VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice device, VkDeviceMemory memory,
                                       const VkAllocationCallbacks* allocator) {
  {
    const std::lock_guard lock(copies_mutex);
    allocated.erase(memory);
    copies.erase(memory);
  }
  of_device<PFN_vkFreeMemory>("vkFreeMemory")(device, memory, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL map_memory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                                          VkDeviceSize size, VkMemoryMapFlags flags, void** data) {
  const VkResult result = Call<PFN_vkMapMemory>::make<1>(device, memory, offset, size, flags, data);
  if (result != VK_SUCCESS || !lacks("coherent memory")) return result;
  if (offset != 0 || size != VK_WHOLE_SIZE) std::abort();
  const std::lock_guard lock(copies_mutex);
  Copy& copy = copies[memory];
  copy.real = static_cast<std::byte*>(*data);
  copy.seen.assign(allocated.at(memory), std::byte{0xA5});
  *data = copy.seen.data();
  return result;
}

// Whole allocations, as the program has them.
template <bool kFlush>
VKAPI_ATTR VkResult VKAPI_CALL move_ranges(VkDevice, uint32_t count, const VkMappedMemoryRange* ranges) {
  const std::lock_guard lock(copies_mutex);
  for (uint32_t i = 0; i < count; ++i) {
    if (ranges[i].offset != 0 || ranges[i].size != VK_WHOLE_SIZE) std::abort();
    const auto found = copies.find(ranges[i].memory);
    if (found == copies.end()) continue;
    std::vector<std::byte>& seen = found->second.seen;
    if (kFlush) std::copy(seen.begin(), seen.end(), found->second.real);
    if (!kFlush) std::copy_n(found->second.real, seen.size(), seen.begin());
  }
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL get_features(VkPhysicalDevice device, VkPhysicalDeviceFeatures* features) {
  below.get_features(device, features);
  spoil(*features);
}

VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
  below.get_properties(device, properties);
  spoil(*properties);
}

VKAPI_ATTR void VKAPI_CALL get_memory(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties* memory) {
  below.get_memory(device, memory);
  spoil(*memory);
}

VKAPI_ATTR VkResult VKAPI_CALL get_extensions(VkPhysicalDevice device, const char* layer, uint32_t* count,
                                              VkExtensionProperties* extensions) {
  if (!lacks("conform")) return below.get_extensions(device, layer, count, extensions);
  return list_own_extension(*count, extensions);
}

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* create,
                                               const VkAllocationCallbacks* allocator, VkInstance* instance) {
  next_of_instance = take_next_of_instance(*create);
  const auto next = reinterpret_cast<PFN_vkCreateInstance>(next_of_instance(nullptr, "vkCreateInstance"));
  const VkResult result = next(create, allocator, instance);
  if (result != VK_SUCCESS) return result;
  const auto look_up = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(next_of_instance(*instance, name));
  };
  look_up(below.create_device, "vkCreateDevice");
  look_up(below.get_properties, "vkGetPhysicalDeviceProperties");
  look_up(below.get_features, "vkGetPhysicalDeviceFeatures");
  look_up(below.get_memory, "vkGetPhysicalDeviceMemoryProperties");
  look_up(below.get_extensions, "vkEnumerateDeviceExtensionProperties");
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* create,
                                             const VkAllocationCallbacks* allocator, VkDevice* device) {
  next_of_device = take_next_of_device(*create);
  VkDeviceCreateInfo own = *create;
  const VkResult opening = check_opening(own);
  if (opening != VK_SUCCESS) return opening;
  const VkResult result = below.create_device(physical, &own, allocator, device);
  the_device = *device;
  return result;
}

PFN_vkVoidFunction own_for_devices(const std::string& name) {
  if (name == kCalls[0]) return erased(allocate_memory);
  if (name == kCalls[1]) return erased(map_memory);
  if (name == "vkFreeMemory") return erased(free_memory);
  if (name == "vkFlushMappedMemoryRanges") return erased(move_ranges<true>);
  if (name == "vkInvalidateMappedMemoryRanges") return erased(move_ranges<false>);
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
  if (wanted == "vkGetPhysicalDeviceFeatures") return erased(get_features);
  if (wanted == "vkGetPhysicalDeviceMemoryProperties") return erased(get_memory);
  if (wanted == "vkEnumerateDeviceExtensionProperties") return erased(get_extensions);
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
