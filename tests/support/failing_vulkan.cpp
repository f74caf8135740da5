// A Vulkan layer, between the loader and the driver, that spoils one thing of one device at a time:
// CAMBI_VULKAN_FAULT=CALL:AT:RESULT  the AT-th use (from 0) of vkAllocateMemory, vkMapMemory, vkQueueSubmit,
//                                    vkWaitForFences or vkCreateComputePipelines returns RESULT and does
//                                    nothing; of vkCmdDispatch, which returns nothing, it is not recorded.
//                                    With AT+ the later ones as well: so a device that works on answers no
//                                    more. If failing_calls.cpp is loaded, uses count when its calls do.
// CAMBI_VULKAN_MARK=FILE             is made where that happens
// CAMBI_VULKAN_PAUSE=MS              each such use takes so long
// CAMBI_VULKAN_WAITS=FILE            gets a line for each such use of vkWaitForFences: its thread, and the
//                                    time it was to wait, in nanoseconds
// CAMBI_VULKAN_LACKS=WHAT: the device has
//   version          only Vulkan 1.1
//   invocations      32 of them in a work group
//   buffers          4 of them for a shader
//   shared memory    1 KiB of it
//   everything       no optional feature, and limits as low as Vulkan allows, but for the size of work
//                    groups, and for the number of buffers for a shader, which is 10
//   work groups      kFewGroups of them in a row of a dispatch; it leaves the others out
//   allocations      kFewAllocations of memory at a time
//   coherent memory  none: each side sees what the other wrote once that is flushed and invalidated
//   large buffers    shaders see only kSmallBuffer bytes of one
//   speed            it is an integrated one, which may be slow
//   conform          lacks things that Vulkan promises, and has to be opened with the extension that says so
// CAMBI_VULKAN_FLOATS=MODE:NUMBER    shaders compute in another way: see rewritten_shader.h
// CAMBI_VULKAN_SITE_OF=WORDS         only the shader whose code has that number of words does
// CAMBI_VULKAN_SITES=FILE            gets a line for each shader: its words, and the operations of mode site
// CAMBI_VULKAN_DROPS=N               each N-th barrier is left out
// CAMBI_VULKAN_FAMILIES=2            the device's only queue family appears twice, for transfers alone too
// CAMBI_VULKAN_LEAVES=CALL           nothing is spoilt, but once exit() has run its handler the driver cannot
//                                    be used any more: calls after that end the process by abort(). The
//                                    handler, which leaves other threads some time to call, is registered in
//                                    vkCreateInstance, vkCreateDevice or vkCreateComputePipelines.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>
#include <vulkan/vulkan.h>
// After Vulkan's own.
#include <vulkan/vk_layer.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

#include "tests/support/rewritten_shader.h"

namespace {

constexpr uint32_t kFewGroups = 7;
constexpr uint32_t kFewAllocations = 80;
constexpr uint32_t kSmallBuffer = 1'000'000;

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

// As vkEnumerateDeviceExtensionProperties, of a device that does not conform.
VkResult list_own_extension(uint32_t& count, VkExtensionProperties* extensions) {
  if (extensions != nullptr && count == 0) return VK_INCOMPLETE;
  count = 1;
  if (extensions == nullptr) return VK_SUCCESS;
  *extensions = {};
  std::strcpy(extensions->extensionName, kDoesNotConform);
  return VK_SUCCESS;
}

// What is asked for must be there. Takes out what the device below does not know.
VkResult check_opening(VkDeviceCreateInfo& create) {
  if (lacks("everything") && wants_features(create)) return VK_ERROR_FEATURE_NOT_PRESENT;
  if (!lacks("conform")) return VK_SUCCESS;
  const bool knows = create.enabledExtensionCount == 1 &&
                     std::strcmp(create.ppEnabledExtensionNames[0], kDoesNotConform) == 0;
  create.enabledExtensionCount = 0;
  return knows ? VK_SUCCESS : VK_ERROR_EXTENSION_NOT_PRESENT;
}

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
  PFN_vkGetPhysicalDeviceQueueFamilyProperties get_families = nullptr;
} below;

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

template <typename Function>
PFN_vkVoidFunction erased(Function function) {
  return reinterpret_cast<PFN_vkVoidFunction>(function);
}

const char* const leaves_in = std::getenv("CAMBI_VULKAN_LEAVES");
std::atomic<bool> has_left = false;

void leave() {
  has_left = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

void check(const char* call) {
  if (!has_left) return;
  for (const char* const part : {call, " was called after the driver had left\n"})
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  std::abort();
}

void register_in(const char* call) {
  static std::once_flag is_registered;
  if (leaves_in != nullptr && std::strcmp(call, leaves_in) == 0)
    std::call_once(is_registered, [] { std::atexit(leave); });
}

constexpr const char* kChecked[] = {
#define CALL(name) #name,
#include "tests/support/vulkan_calls.inc"
#undef CALL
};

// What lies below.
std::array<std::atomic<PFN_vkVoidFunction>, std::size(kChecked)> checked_below;

template <size_t kNumber, typename Function>
struct Checked;
template <size_t kNumber, typename Result, typename... Parameters>
struct Checked<kNumber, Result(VKAPI_PTR*)(Parameters...)> {
  static VKAPI_ATTR Result VKAPI_CALL call(Parameters... parameters) {
    check(kChecked[kNumber]);
    register_in(kChecked[kNumber]);
    return reinterpret_cast<Result(VKAPI_PTR*)(Parameters...)>(checked_below[kNumber].load())(parameters...);
  }
};

template <size_t... kNumbers, typename... Functions>
auto checked_of(std::index_sequence<kNumbers...>, Functions...) {
  return std::array{erased(Checked<kNumbers, Functions>::call)...};
}

// The function of that name which looks whether the driver has left, on top of `next`; null if there is none.
PFN_vkVoidFunction checked(const char* name, PFN_vkVoidFunction next) {
  static const auto kFunctions = checked_of(std::make_index_sequence<std::size(kChecked)>()
#define CALL(name) , static_cast<PFN_##name>(nullptr)
#include "tests/support/vulkan_calls.inc"
#undef CALL
  );
  for (size_t i = 0; i < std::size(kChecked); ++i) {
    if (next == nullptr || std::strcmp(kChecked[i], name) != 0) continue;
    checked_below[i] = next;
    return kFunctions[i];
  }
  return nullptr;
}

struct Fault {
  explicit Fault(const std::string& all) {
    if (all.empty()) return;
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

// A process may have several, one after another.
Fault& fault() {
  static std::mutex mutex;
  static std::map<std::string, Fault> faults;
  const char* const text = std::getenv("CAMBI_VULKAN_FAULT");
  const std::string all = text == nullptr ? "" : text;
  const std::lock_guard lock(mutex);
  return faults.try_emplace(all, all).first->second;
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
  const std::string line = std::to_string(gettid()) + " " + std::to_string(timeout) + "\n";
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

VKAPI_ATTR VkResult VKAPI_CALL create_module(VkDevice device, const VkShaderModuleCreateInfo* create,
                                             const VkAllocationCallbacks* allocator, VkShaderModule* module) {
  const auto next = of_device<PFN_vkCreateShaderModule>("vkCreateShaderModule");
  const char *const floats = std::getenv("CAMBI_VULKAN_FLOATS"), *only = std::getenv("CAMBI_VULKAN_SITE_OF"),
                    *const log = std::getenv("CAMBI_VULKAN_SITES");
  const size_t words = create->codeSize / 4;
  if (floats == nullptr || (only != nullptr && std::stoul(only) != words))
    return next(device, create, allocator, module);
  const std::string mode = floats;
  const size_t colon = mode.find(':');
  const uint32_t number = colon == std::string::npos ? 0 : std::stoul(mode.substr(colon + 1));
  const vq::test::RewrittenShader own =
      vq::test::rewritten(create->pCode, words, {mode.substr(0, colon), number});
  if (log != nullptr) std::ofstream(log, std::ios::app) << words << " " << own.sites << "\n";
  VkShaderModuleCreateInfo info = *create;
  info.pCode = own.code.data();
  info.codeSize = own.code.size() * 4;
  return next(device, &info, allocator, module);
}

VKAPI_ATTR void VKAPI_CALL barrier(VkCommandBuffer commands, VkPipelineStageFlags from,
                                   VkPipelineStageFlags to, VkDependencyFlags flags, uint32_t memories,
                                   const VkMemoryBarrier* memory, uint32_t buffers,
                                   const VkBufferMemoryBarrier* buffer, uint32_t images,
                                   const VkImageMemoryBarrier* image) {
  static std::atomic<long> number = 0;
  static const char* const kDrops = std::getenv("CAMBI_VULKAN_DROPS");
  if (kDrops != nullptr && ++number % std::atol(kDrops) == 0) return;
  of_device<PFN_vkCmdPipelineBarrier>("vkCmdPipelineBarrier")(commands, from, to, flags, memories, memory,
                                                              buffers, buffer, images, image);
}

// The second family is the first, with its only queue.
bool has_two_families() { return std::getenv("CAMBI_VULKAN_FAMILIES") != nullptr; }
VKAPI_ATTR void VKAPI_CALL get_families(VkPhysicalDevice device, uint32_t* count,
                                        VkQueueFamilyProperties* families) {
  if (!has_two_families()) return below.get_families(device, count, families);
  uint32_t one = 1;
  if (families != nullptr) below.get_families(device, &one, families);
  if (families != nullptr && *count > 1) {
    families[1] = families[0];
    families[1].queueFlags = VK_QUEUE_TRANSFER_BIT;
  }
  *count = families == nullptr ? 2 : std::min(*count, 2U);
}
VKAPI_ATTR void VKAPI_CALL get_queue(VkDevice device, uint32_t family, uint32_t index, VkQueue* queue) {
  of_device<PFN_vkGetDeviceQueue>("vkGetDeviceQueue")(device, has_two_families() ? 0 : family, index, queue);
}
VKAPI_ATTR VkResult VKAPI_CALL create_pool(VkDevice device, const VkCommandPoolCreateInfo* create,
                                           const VkAllocationCallbacks* allocator, VkCommandPool* pool) {
  VkCommandPoolCreateInfo own = *create;
  if (has_two_families()) own.queueFamilyIndex = 0;
  return of_device<PFN_vkCreateCommandPool>("vkCreateCommandPool")(device, &own, allocator, pool);
}
VKAPI_ATTR VkResult VKAPI_CALL create_buffer(VkDevice device, const VkBufferCreateInfo* create,
                                             const VkAllocationCallbacks* allocator, VkBuffer* buffer) {
  VkBufferCreateInfo own = *create;
  if (has_two_families()) own.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  return of_device<PFN_vkCreateBuffer>("vkCreateBuffer")(device, &own, allocator, buffer);
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

template <auto kGet, typename Facts>
VKAPI_ATTR void VKAPI_CALL get_spoilt(VkPhysicalDevice device, Facts* facts) {
  (below.*kGet)(device, facts);
  spoil(*facts);
}

VKAPI_ATTR VkResult VKAPI_CALL get_extensions(VkPhysicalDevice device, const char* layer, uint32_t* count,
                                              VkExtensionProperties* extensions) {
  if (!lacks("conform")) return below.get_extensions(device, layer, count, extensions);
  return list_own_extension(*count, extensions);
}

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* create,
                                               const VkAllocationCallbacks* allocator, VkInstance* instance) {
  check("vkCreateInstance");
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
  look_up(below.get_features, "vkGetPhysicalDeviceFeatures");
  look_up(below.get_memory, "vkGetPhysicalDeviceMemoryProperties");
  look_up(below.get_extensions, "vkEnumerateDeviceExtensionProperties");
  look_up(below.get_families, "vkGetPhysicalDeviceQueueFamilyProperties");
  register_in("vkCreateInstance");
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* create,
                                             const VkAllocationCallbacks* allocator, VkDevice* device) {
  check("vkCreateDevice");
  next_of_device =
      take_link<VkLayerDeviceCreateInfo>(create->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO)
          ->pfnNextGetDeviceProcAddr;
  VkDeviceCreateInfo own = *create;
  const VkResult opening = check_opening(own);
  if (opening != VK_SUCCESS) return opening;
  if (has_two_families()) own.queueCreateInfoCount = 1;
  const VkResult result = below.create_device(physical, &own, allocator, device);
  the_device = *device;
  register_in("vkCreateDevice");
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
  if (name == "vkCreateShaderModule") return erased(create_module);
  if (name == "vkCmdPipelineBarrier") return erased(barrier);
  if (name == "vkGetDeviceQueue") return erased(get_queue);
  if (name == "vkCreateCommandPool") return erased(create_pool);
  if (name == "vkCreateBuffer") return erased(create_buffer);
  return nullptr;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find_for_device(VkDevice device, const char* name) {
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return erased(find_for_device);
  const PFN_vkVoidFunction next = next_of_device(device, name);
  const PFN_vkVoidFunction own = leaves_in != nullptr ? checked(name, next) : own_for_devices(name);
  return own != nullptr ? own : next;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find(VkInstance instance, const char* name) {
  const std::string wanted = name;
  if (wanted == "vkGetInstanceProcAddr") return erased(find);
  if (wanted == "vkCreateInstance") return erased(create_instance);
  if (wanted == "vkCreateDevice") return erased(create_device);
  if (wanted == "vkGetDeviceProcAddr") return erased(find_for_device);
  if (leaves_in != nullptr) {
    const PFN_vkVoidFunction next = next_of_instance(instance, name), own = checked(name, next);
    return own != nullptr ? own : next;
  }
  using Next = NextOfInstance;
  if (wanted == "vkGetPhysicalDeviceProperties")
    return erased(get_spoilt<&Next::get_properties, VkPhysicalDeviceProperties>);
  if (wanted == "vkGetPhysicalDeviceFeatures")
    return erased(get_spoilt<&Next::get_features, VkPhysicalDeviceFeatures>);
  if (wanted == "vkGetPhysicalDeviceMemoryProperties")
    return erased(get_spoilt<&Next::get_memory, VkPhysicalDeviceMemoryProperties>);
  if (wanted == "vkEnumerateDeviceExtensionProperties") return erased(get_extensions);
  if (wanted == "vkGetPhysicalDeviceQueueFamilyProperties") return erased(get_families);
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
