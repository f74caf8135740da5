// Implementation of an open device. Private to this folder.
#pragma once

#include <vulkan/vulkan_raii.hpp>

#include <atomic>
#include <deque>

#include "core/error.h"
#include "vulkan/context.h"
#include "vulkan/device.h"

static_assert(VK_HEADER_VERSION_COMPLETE >= VK_MAKE_API_VERSION(0, 1, 3, 239));

namespace vq::vulkan {

// For tests: makes calls of a device fail.

// The calls that can be made to fail by a CallHook.
enum class Call {
  kCreateDevice,
  kAllocateMemory,
  kMapMemory,
  kCreatePipeline,
  kSubmit,
  kWait,
  kStartUpCheck  // Context::require_same()
};

// Collects messages of the validation layer, from any thread.
class MessageLog {
 public:
  void add(std::string text);
  std::vector<std::string> take();

 private:
  std::mutex mutex_;
  std::vector<std::string> messages_;
};

// The loader, its instance, and its devices in the order of the list. Immutable. Members are in creation
// order.
struct Machine {
  std::optional<vk::raii::Context> context;
  vk::raii::Instance instance{nullptr};
  std::vector<vk::PhysicalDevice> devices;
};
// Without a loader, or if it fails, the list is empty and has a `problem`, but also has its machine.
DeviceList look_for_devices(Validation validation, const Requirement& requirement);

// The allowed uses of every buffer, and the handle type for exporting its memory.
inline constexpr vk::BufferUsageFlags kBufferUsage = vk::BufferUsageFlagBits::eStorageBuffer |
                                                     vk::BufferUsageFlagBits::eTransferSrc |
                                                     vk::BufferUsageFlagBits::eTransferDst;
inline constexpr auto kSharedHandle = vk::ExternalMemoryHandleTypeFlagBits::eOpaqueFd;

// Used by one thread at a time.
struct Queue {
  explicit Queue(vk::raii::Queue with) : queue(std::move(with)) {}
  vk::raii::Queue queue;
  std::mutex mutex;
};

struct Allocation;

// No result of calls that are made here.
inline constexpr vk::Result kProcessEnds = vk::Result::eNotReady;

// Members are in creation order, so that they are destroyed in reverse.
class SharedPictures;

struct Device::Impl {
  Impl(DeviceOptions with, CallHook asking, std::shared_ptr<Machine> on)
      : options(std::move(with)), hook(std::move(asking)), machine(std::move(on)) {}
  ~Impl();

  // The hook's result for a call that is about to be made.
  vk::Result asked(Call call) const {
    return hook ? static_cast<vk::Result>(hook(call)) : vk::Result::eSuccess;
  }
  // Asks the hook, then makes the call. Throws Error{kBackend} that names the failed operation.
  template <typename Function>
  auto attempt(Call call, std::string_view what, Function function) -> decltype(function()) {
    const vk::Result result = asked(call);
    if (result != vk::Result::eSuccess) throw failure(what, result);
    const NeededDriverUse use(*this, what);
    try {
      return function();
    } catch (const vk::SystemError& error) {
      throw failure(what, static_cast<vk::Result>(error.code().value()));
    }
  }
  Error failure(std::string_view what, vk::Result result) const;
  // An error for work that exceeds the device's limits.
  Error refusal(const std::string& reason) const;
  // Whether memory of a type is in the heap of DeviceInfo::memory_bytes.
  bool is_in_largest_heap(uint32_t type) const;
  uint32_t memory_type(uint32_t allowed, std::span<const vk::MemoryPropertyFlags> requests) const;
  // Throws vk::SystemError.
  void submit(Queue& queue, const vk::SubmitInfo& work, vk::Fence fence) const;
  // Bytes that the work of one submission moves at most, as Recorder counts; see ADR 0066.
  int64_t most_submission_bytes() const;
  // Whether some memory is cached by the host and local to the device.
  bool finds_one_memory() const;
  void save_cache();

  // Throws Error{kBackend} if drivers must not be called any more.
  struct NeededDriverUse : DriverUse {
    NeededDriverUse(const Impl& on, std::string_view what) {
      if (!*this) throw on.failure(what, kProcessEnds);
    }
  };

  DeviceOptions options;
  const CallHook hook;
  std::mutex kept_mutex;
  std::map<std::string, std::vector<uint8_t>, std::less<>> kept;  // see Device::kept()
  DeviceInfo info;
  MessageLog messages;
  const std::shared_ptr<Machine> machine;
  vk::raii::DebugUtilsMessengerEXT messenger{nullptr};
  vk::raii::PhysicalDevice physical{nullptr};
  QueueChoice choice;
  std::vector<QueueFamily> families;
  double timestamp_period_ns = 1;
  vk::raii::Device device{nullptr};
  std::deque<Queue> queues;  // for stages, and one for uploads unless it is one of these
  Queue* upload_queue = nullptr;
  bool can_share_memory = false;
  bool has_one_memory = false;
  vk::raii::PipelineCache cache{nullptr};
  std::mutex cache_mutex;  // for the next three
  std::map<Pipeline::Key, Pipeline::Compiled> pipelines;
  bool cache_may_be_new = false;
  std::vector<uint8_t> loaded_cache;                 // or saved since
  mutable std::atomic<int64_t> allocations = 0;      // number of memory allocations
  mutable std::atomic<int64_t> allocated_bytes = 0;  // of the heap of DeviceInfo::memory_bytes
  mutable std::mutex allocation_mutex;
  mutable std::map<uint32_t, std::weak_ptr<Allocation>> open_allocations;  // with room, by memory type
  std::weak_ptr<SharedPictures> pictures;  // of all who decode for it; under allocation_mutex
  // Drivers register some when they compile shaders, and when these first run.
  std::atomic<bool> exit_handlers_may_be_new = false;
  std::atomic<bool> hangs = false;  // did not answer in time: later waits fail immediately
  static inline std::atomic<bool> one_hangs = false;
  void give_up() { hangs = one_hangs = true; }
  mutable std::atomic<bool> is_lost = false;
};

// "the device is lost", "out of device memory", ... or the constant's name.
std::string in_words(vk::Result result);

// Everything about a device except `index`; sets `unusable`.
DeviceInfo describe(const vk::raii::PhysicalDevice& physical);
std::vector<QueueFamily> families_of(const vk::raii::PhysicalDevice& physical);
// The largest heap of the device's own; none: it has none.
std::optional<uint32_t> largest_heap(const vk::PhysicalDeviceMemoryProperties& memory);
// Throws Error{kBackend} if the loader is too old, or the requested validation layer is missing.
vk::raii::Instance make_instance(const vk::raii::Context& context, Validation validation);
// Sends messages of the validation layer to `log`, which outlives the result.
vk::raii::DebugUtilsMessengerEXT listen(const vk::raii::Instance& instance, MessageLog& log);

// Implementation of buffers and pipelines. Private to this folder.

// Memory for one buffer, or for several one after another: drivers take longer to allocate memory than to
// make anything else.
struct Allocation {
  Allocation(const Device::Impl& on, vk::MemoryAllocateInfo info)
      : memory(on.device.allocateMemory(info)),
        bytes(static_cast<int64_t>(info.allocationSize)),
        device(on),
        counted(on.is_in_largest_heap(info.memoryTypeIndex) ? bytes : 0) {
    ++device.allocations;
    device.allocated_bytes += counted;
  }
  ~Allocation() {
    --device.allocations;
    device.allocated_bytes -= counted;
  }
  Allocation& operator=(Allocation&&) = delete;

  // The first call maps it. Throws vk::SystemError.
  std::byte* mapped() {
    const std::lock_guard lock(device.allocation_mutex);
    if (host == nullptr) host = static_cast<std::byte*>(memory.mapMemory(0, VK_WHOLE_SIZE));
    return host;
  }

  vk::raii::DeviceMemory memory;
  std::byte* host = nullptr;
  const int64_t bytes;
  int64_t used = 0;  // from the beginning on; guarded by the device's mutex
  const Device::Impl& device;
  const int64_t counted;  // of the device's memory
};

struct Buffer::Impl {
  explicit Impl(std::shared_ptr<Device> on) : device(std::move(on)) {}

  std::shared_ptr<Device> device;
  Memory memory = Memory::kDevice;
  bool is_coherent = true;  // host and device see each other's writes without flushing
  std::shared_ptr<Allocation> allocation;
  vk::DeviceSize offset = 0;  // in the allocation
  vk::raii::Buffer buffer{nullptr};

  // The whole allocation, for flushing and invalidating: it needs no rounding.
  vk::MappedMemoryRange whole() const {
    return vk::MappedMemoryRange().setMemory(*allocation->memory).setSize(VK_WHOLE_SIZE);
  }
};

// For a shader's binding.
inline vk::DescriptorBufferInfo descriptor_of(const Buffer& buffer) {
  return vk::DescriptorBufferInfo()
      .setBuffer(*buffer.impl()->buffer)
      .setOffset(static_cast<vk::DeviceSize>(buffer.offset()))
      .setRange(static_cast<vk::DeviceSize>(buffer.bytes()));
}

struct Copy;
vk::BufferCopy region_of(const Copy& copy);

struct Pipeline::Impl {
  std::shared_ptr<Device> device;  // none: the device keeps it
  vk::raii::DescriptorSetLayout set_layout{nullptr};
  vk::raii::PipelineLayout layout{nullptr};
  vk::raii::Pipeline pipeline{nullptr};
};

}  // namespace vq::vulkan
