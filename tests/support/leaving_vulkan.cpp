// A Vulkan layer, between the loader and the driver, that stands for a driver which cannot be used any more
// once exit() has run its handler: calls after that end the process by abort(). The handler is registered in
// the call that CAMBI_VULKAN_LEAVES names: vkCreateInstance, vkCreateDevice or vkCreateComputePipelines. It
// leaves other threads some time to call.
#include "tests/support/vulkan_layer.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

using namespace vq::test;

namespace {

constexpr std::chrono::milliseconds kTimeToCall{100};

std::atomic<bool> has_left = false;

void leave() {
  has_left = true;
  std::this_thread::sleep_for(kTimeToCall);
}

void check(const char* call) {
  if (!has_left) return;
  for (const char* const part : {call, " was called after the driver had left\n"})
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  std::abort();
}

void register_in(std::string_view call) {
  static std::once_flag is_registered;
  const char* const chosen = std::getenv("CAMBI_VULKAN_LEAVES");
  if (chosen != nullptr && call == chosen) std::call_once(is_registered, [] { std::atexit(leave); });
}

constexpr const char* kNames[] = {
#define CALL(name) #name,
#include "tests/support/vulkan_calls.inc"
#undef CALL
};
constexpr size_t kCalls = std::size(kNames);

// What lies below.
std::array<std::atomic<PFN_vkVoidFunction>, kCalls> below;

template <size_t kNumber, typename Function>
struct Checked;
template <size_t kNumber, typename Result, typename... Parameters>
struct Checked<kNumber, Result(VKAPI_PTR*)(Parameters...)> {
  static VKAPI_ATTR Result VKAPI_CALL call(Parameters... parameters) {
    check(kNames[kNumber]);
    register_in(kNames[kNumber]);
    return reinterpret_cast<Result(VKAPI_PTR*)(Parameters...)>(below[kNumber].load())(parameters...);
  }
};

template <size_t... kNumbers, typename... Functions>
auto checked_of(std::index_sequence<kNumbers...>, Functions...) {
  return std::array{reinterpret_cast<PFN_vkVoidFunction>(Checked<kNumbers, Functions>::call)...};
}

// The layer's function of that name, on top of `next`; null where it has none.
PFN_vkVoidFunction checked(const char* name, PFN_vkVoidFunction next) {
  static const auto kChecked = checked_of(std::make_index_sequence<kCalls>()
#define CALL(name) , static_cast<PFN_##name>(nullptr)
#include "tests/support/vulkan_calls.inc"
#undef CALL
  );
  for (size_t i = 0; i < kCalls; ++i) {
    if (next == nullptr || std::strcmp(kNames[i], name) != 0) continue;
    below[i] = next;
    return kChecked[i];
  }
  return nullptr;
}

PFN_vkGetInstanceProcAddr next_of_instance = nullptr;
PFN_vkGetDeviceProcAddr next_of_device = nullptr;
PFN_vkCreateDevice next_create_device = nullptr;

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* create,
                                               const VkAllocationCallbacks* allocator, VkInstance* instance) {
  check("vkCreateInstance");
  next_of_instance = take_next_of_instance(*create);
  const auto next = reinterpret_cast<PFN_vkCreateInstance>(next_of_instance(nullptr, "vkCreateInstance"));
  const VkResult result = next(create, allocator, instance);
  if (result != VK_SUCCESS) return result;
  next_create_device = reinterpret_cast<PFN_vkCreateDevice>(next_of_instance(*instance, "vkCreateDevice"));
  register_in("vkCreateInstance");
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* create,
                                             const VkAllocationCallbacks* allocator, VkDevice* device) {
  check("vkCreateDevice");
  next_of_device = take_next_of_device(*create);
  const VkResult result = next_create_device(physical, create, allocator, device);
  register_in("vkCreateDevice");
  return result;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find_for_device(VkDevice device, const char* name) {
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return erased(find_for_device);
  const PFN_vkVoidFunction next = next_of_device(device, name);
  const PFN_vkVoidFunction own = checked(name, next);
  return own != nullptr ? own : next;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find(VkInstance instance, const char* name) {
  const std::string_view wanted = name;
  if (wanted == "vkGetInstanceProcAddr") return erased(find);
  if (wanted == "vkCreateInstance") return erased(create_instance);
  if (wanted == "vkCreateDevice") return erased(create_device);
  if (wanted == "vkGetDeviceProcAddr") return erased(find_for_device);
  const PFN_vkVoidFunction next = next_of_instance(instance, name);
  const PFN_vkVoidFunction own = checked(name, next);
  return own != nullptr ? own : next;
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
