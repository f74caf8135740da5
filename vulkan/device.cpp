#include "vulkan/device.h"

#include <pthread.h>

#include <cstdlib>

#include "core/content_hash.h"
#include "core/platform.h"
#include "core/text.h"
#include "core/trace.h"
#include "core/worker_pool.h"
#include "vulkan/device_impl.h"
#include "vulkan/recorder_impl.h"

namespace vq::vulkan {

// The useful extensions that the device has.
static std::vector<const char*> extensions_of(const vk::raii::PhysicalDevice& physical) {
  constexpr std::array kWanted = {// A device that does not conform to Vulkan in full, such as one on top of
                                  // Metal, is to be opened with the extension that
                                  // says so. Compute shaders lose nothing by it.
                                  "VK_KHR_portability_subset",
                                  // For memory that other interfaces write to.
                                  VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME};
  std::vector<const char*> found;
  for (const vk::ExtensionProperties& extension : physical.enumerateDeviceExtensionProperties()) {
    for (const char* wanted : kWanted) {
      if (std::strcmp(extension.extensionName.data(), wanted) == 0) found.push_back(wanted);
    }
  }
  return found;
}

static bool exports_memory(const Device::Impl& impl) {
  const auto is_fd = [](const char* name) {
    return std::strcmp(name, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME) == 0;
  };
  const std::vector<const char*> extensions = extensions_of(impl.physical);
  if (std::none_of(extensions.begin(), extensions.end(), is_fd)) return false;
  const vk::ExternalBufferProperties found =
      impl.physical.getExternalBufferProperties({.usage = kBufferUsage, .handleType = kSharedHandle});
  return static_cast<bool>(found.externalMemoryProperties.externalMemoryFeatures &
                           vk::ExternalMemoryFeatureFlagBits::eExportable);
}

static vk::raii::Device make_device(const Device::Impl& impl) {
  // Shaders that need doubles run only if there are any: see DeviceInfo::has_doubles. Queues for transfers
  // cannot set back a clock themselves; every device of the needed version lets the host do it. GPU-assisted
  // validation writes its findings from shaders of every kind.
  const vk::PhysicalDeviceFeatures have = impl.physical.getFeatures();
  vk::PhysicalDeviceFeatures features{};
  features.shaderFloat64 = have.shaderFloat64;
  if (impl.options.validation == Validation::kGpuAssisted) {
    features.vertexPipelineStoresAndAtomics = have.vertexPipelineStoresAndAtomics;
    features.fragmentStoresAndAtomics = have.fragmentStoresAndAtomics;
    features.shaderInt64 = have.shaderInt64;
  }
  const std::vector<const char*> extensions = extensions_of(impl.physical);
  const vk::PhysicalDeviceHostQueryResetFeatures query_reset{.hostQueryReset = VK_TRUE};
  const std::vector<float> priorities(kMaxComputeQueues + 1, 1.0F);
  std::vector<vk::DeviceQueueCreateInfo> queues = {{.queueFamilyIndex = impl.choice.compute_family,
                                                    .queueCount = impl.choice.compute_queues,
                                                    .pQueuePriorities = priorities.data()}};
  if (impl.choice.upload_family == impl.choice.compute_family) {
    queues[0].queueCount = std::max(queues[0].queueCount, impl.choice.upload_queue + 1);
  } else {
    queues.push_back({.queueFamilyIndex = impl.choice.upload_family,
                      .queueCount = impl.choice.upload_queue + 1,
                      .pQueuePriorities = priorities.data()});
  }
  return impl.physical.createDevice({.pNext = &query_reset,
                                     .queueCreateInfoCount = static_cast<uint32_t>(queues.size()),
                                     .pQueueCreateInfos = queues.data(),
                                     .enabledExtensionCount = static_cast<uint32_t>(extensions.size()),
                                     .ppEnabledExtensionNames = extensions.data(),
                                     .pEnabledFeatures = &features});
}

constexpr std::string_view kPipelines = "pipelines";

// The key of device and driver: compiled pipelines are good for nothing else.
static std::vector<uint8_t> cache_key(const vk::raii::PhysicalDevice& physical) {
  const vk::PhysicalDeviceProperties properties = physical.getProperties();
  std::vector<uint8_t> key(properties.pipelineCacheUUID.begin(), properties.pipelineCacheUUID.end());
  for (const uint32_t part : {properties.vendorID, properties.deviceID, properties.driverVersion}) {
    for (int shift = 0; shift < 32; shift += 8) key.push_back(static_cast<uint8_t>(part >> shift));
  }
  return key;
}

static std::filesystem::path cache_file(const std::filesystem::path& folder,
                                        const vk::raii::PhysicalDevice& physical, std::string_view what) {
  const auto id = physical.getProperties().pipelineCacheUUID;
  return folder / path_of(words("{}-{}", what, hexadecimal(std::span<const uint8_t>(id))));
}

static std::vector<uint8_t> key_of_version(const vk::raii::PhysicalDevice& physical,
                                           std::string_view version) {
  std::vector<uint8_t> key = cache_key(physical);
  key.insert(key.end(), version.begin(), version.end());
  return key;
}

std::string in_words(vk::Result result) {
  switch (result) {
    case vk::Result::eErrorDeviceLost:
      return "the device is lost";
    case vk::Result::eTimeout:
      return "no answer";
    case kProcessEnds:
      return "the process ends";
    case vk::Result::eErrorOutOfDeviceMemory:
      return "out of device memory";
    case vk::Result::eErrorOutOfHostMemory:
      return "out of memory";
    case vk::Result::eErrorMemoryMapFailed:
      return "the memory cannot be mapped";
    case vk::Result::eErrorIncompatibleDriver:
      return "no usable driver";
    default:
      return vk::to_string(result);
  }
}

Error Device::Impl::failure(std::string_view what, vk::Result result) const {
  if (result == vk::Result::eErrorDeviceLost || result == kProcessEnds) is_lost = true;
  return Error(ErrorKind::kBackend,
               words("{} ({}): {} failed: {}", info.name, info.driver, what, in_words(result)));
}

Error Device::Impl::refusal(const std::string& reason) const {
  return Error(ErrorKind::kBackend, words("{} ({}) cannot be used: {}", info.name, info.driver, reason));
}

bool Device::Impl::is_in_largest_heap(uint32_t type) const {
  const vk::PhysicalDeviceMemoryProperties memory = physical.getMemoryProperties();
  return largest_heap(memory) == memory.memoryTypes[type].heapIndex;
}

uint32_t Device::Impl::memory_type(uint32_t allowed,
                                   std::span<const vk::MemoryPropertyFlags> requests) const {
  const vk::PhysicalDeviceMemoryProperties memory = physical.getMemoryProperties();
  for (const vk::MemoryPropertyFlags request : requests) {
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
      if ((allowed >> i & 1) != 0 && (memory.memoryTypes[i].propertyFlags & request) == request) return i;
    }
  }
  throw failure("finding memory", vk::Result::eErrorFeatureNotPresent);
}

// Discrete devices may have such memory as well, but then it is theirs, and slow for the host to read.
bool Device::Impl::finds_one_memory() const {
  if (options.always_copy || (info.type != DeviceType::kIntegrated && info.type != DeviceType::kSoftware))
    return false;
  using Flag = vk::MemoryPropertyFlagBits;
  constexpr vk::MemoryPropertyFlags kBoth = Flag::eDeviceLocal | Flag::eHostVisible | Flag::eHostCached;
  const vk::PhysicalDeviceMemoryProperties memory = physical.getMemoryProperties();
  const auto* const end = memory.memoryTypes.data() + memory.memoryTypeCount;
  return std::any_of(memory.memoryTypes.data(), end,
                     [kBoth](const vk::MemoryType& type) { return (type.propertyFlags & kBoth) == kBoth; });
}

int64_t Device::Impl::most_submission_bytes() const {
  constexpr int64_t kSlow = int64_t{64} << 20;
  const bool has_no_watchdog = info.type == DeviceType::kDiscrete || info.type == DeviceType::kSoftware;
  return has_no_watchdog ? INT64_MAX : kSlow;
}

void Device::Impl::submit(Queue& queue, const vk::SubmitInfo& work, vk::Fence fence) const {
  const std::lock_guard lock(queue.mutex);
  queue.queue.submit(work, fence);
}

void Device::Impl::save_cache() {
  if (!options.cache_folder || !*cache) return;
  const DriverUse use;
  if (!use) return;
  const std::lock_guard lock(cache_mutex);
  if (!std::exchange(cache_may_be_new, false)) return;
  try {
    std::vector<uint8_t> data = cache.getData();
    if (data == loaded_cache) return;
    vq::save_cache(cache_file(*options.cache_folder, physical, kPipelines), cache_key(physical), data);
    loaded_cache = std::move(data);
  } catch (const std::exception&) {
    return;  // a lost device has no cache to give
  }
}

Device::Impl::~Impl() {
  const TraceSpan span("close the device");
  pipelines.clear();  // waits for those that are being compiled
  save_cache();
}

Device::Device(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Device::~Device() { DriverDelete()(impl_.release()); }

static void open_queues(Device::Impl& impl) {
  const QueueChoice& choice = impl.choice;
  for (uint32_t i = 0; i < choice.compute_queues; ++i)
    impl.queues.emplace_back(impl.device.getQueue(choice.compute_family, i));
  if (choice.upload_family == choice.compute_family && choice.upload_queue < choice.compute_queues) {
    impl.upload_queue = &impl.queues[choice.upload_queue];
  } else {
    impl.upload_queue =
        &impl.queues.emplace_back(impl.device.getQueue(choice.upload_family, choice.upload_queue));
  }
}

static void open_cache(Device::Impl& impl) {
  if (impl.options.cache_folder) {
    impl.loaded_cache = load_cache(cache_file(*impl.options.cache_folder, impl.physical, kPipelines),
                                   cache_key(impl.physical));
  }
  try {
    impl.cache = impl.device.createPipelineCache(
        {.initialDataSize = impl.loaded_cache.size(), .pInitialData = impl.loaded_cache.data()});
  } catch (const vk::SystemError&) {
    impl.cache = impl.device.createPipelineCache({});
  }
}

std::shared_ptr<Device> Device::open(const DeviceOptions& options, const CallHook& hook) {
  const TraceSpan span("open the device");
  const DeviceList list =
      options.list.machine ? options.list : look_for_devices(options.validation, options.requirement);
  const DeviceInfo& chosen = choose_device(list, options.selector);
  std::unique_ptr<Impl, DriverDelete> impl(new Impl(options, hook, list.machine));
  impl->options.list = {};
  impl->info = chosen;
  impl->attempt(Call::kCreateDevice, "opening the device", [&] {
    if (options.validation != Validation::kOff) {
      impl->messenger = listen(impl->machine->instance, impl->messages);
    }
    impl->physical = vk::raii::PhysicalDevice(impl->machine->instance,
                                              impl->machine->devices.at(static_cast<size_t>(chosen.index)));
    impl->families = families_of(impl->physical);
    impl->choice = choose_queues(impl->families, options.queues).value();
    impl->timestamp_period_ns = static_cast<double>(impl->physical.getProperties().limits.timestampPeriod);
    impl->device = make_device(*impl);
    end_driver_use_at_exit();
    impl->can_share_memory = exports_memory(*impl);
    impl->has_one_memory = impl->finds_one_memory();
    open_queues(*impl);
    open_cache(*impl);
  });
  return std::shared_ptr<Device>(new Device(std::unique_ptr<Impl>(impl.release())));
}

std::vector<std::shared_ptr<Device>> open_devices(const DeviceOptions& options) {
  DeviceOptions each = options;
  if (!each.list.machine) each.list = look_for_devices(options.validation, options.requirement);
  const DeviceChoice choice = choose_devices(each.list, options.selector);
  return parallel_map(choice.devices.size(), [&](size_t i) {
    DeviceOptions own = each;
    own.selector = std::to_string(choice.devices[i]);
    return Device::open(own);
  });
}

const DeviceInfo& Device::info() const { return impl_->info; }
std::string Device::label() const { return words("{} ({})", info().name, info().driver); }
int64_t Device::buffers_left() const { return info().max_allocations - impl_->allocations; }
int64_t Device::memory_left() const { return info().memory_budget - impl_->allocated_bytes; }
bool Device::has_failed() const { return impl_->hangs || impl_->is_lost; }

void Device::leave() const { impl_->is_lost = true; }

bool Device::can_share_memory() const { return impl_->can_share_memory; }
void Device::save_cache() const { impl_->save_cache(); }

std::vector<uint8_t> Device::kept(std::string_view what, std::string_view version) const {
  const std::lock_guard lock(impl_->kept_mutex);
  const auto [entry, is_new] = impl_->kept.try_emplace(std::string(what));
  const DriverUse use;
  if (is_new && use && impl_->options.cache_folder) {
    entry->second = load_cache(cache_file(*impl_->options.cache_folder, impl_->physical, what),
                               key_of_version(impl_->physical, version));
  }
  return entry->second;
}

void Device::keep(std::string_view what, std::string_view version, std::span<const uint8_t> data) const {
  const std::lock_guard lock(impl_->kept_mutex);
  impl_->kept[std::string(what)].assign(data.begin(), data.end());
  const DriverUse use;
  if (!use || !impl_->options.cache_folder) return;
  vq::save_cache(cache_file(*impl_->options.cache_folder, impl_->physical, what),
                 key_of_version(impl_->physical, version), data);
}
bool Device::has_one_memory() const { return impl_->has_one_memory; }
uint32_t Device::queues() const { return impl_->choice.compute_queues; }
std::vector<std::string> Device::take_messages() { return impl_->messages.take(); }

bool was_device_given_up() noexcept { return Device::Impl::one_hangs; }

namespace {

using Clock = std::chrono::steady_clock;

// A driver that does not return must not keep the process alive. It takes seconds to open some devices.
constexpr std::chrono::seconds kMostPatience{5};
// Processes end sooner, unless they wait for one of their threads.
constexpr std::chrono::seconds kGrace{1};
constexpr std::chrono::microseconds kPause{100};

// Process-wide, as exit() is.
struct Gate {
  std::atomic<int> threads = 0;  // in drivers
  std::atomic<bool> is_closed = false;
  std::atomic<Clock::duration> closed_at = Clock::duration::zero();
  std::atomic<bool> is_forked = false;  // devices are the parent's
};

Gate& gate() {
  static constinit Gate the_gate;
  return the_gate;
}

struct ThisThread {
  int uses = 0;
  bool ends_the_process = false;
};

ThisThread& this_thread() {
  static constinit thread_local ThisThread state;
  return state;
}

void wait_for_the_end() {
  const Clock::time_point end(gate().closed_at.load() + kGrace);
  if (!this_thread().ends_the_process) std::this_thread::sleep_until(end);
}

bool enter_gate() {
  ThisThread& own = this_thread();
  if (own.uses > 0 && !own.ends_the_process) {
    ++own.uses;
    return true;
  }
  if (!gate().is_closed) {
    own.uses = 1;  // first: a signal's handler may call exit()
    ++gate().threads;
    if (!gate().is_closed) return true;
    --gate().threads;
    own.uses = 0;
  }
  wait_for_the_end();
  return false;
}

// May run several times, and in several threads.
void close_gate() {
  ThisThread& own = this_thread();
  if (own.ends_the_process) return;
  Clock::duration never = Clock::duration::zero();
  gate().closed_at.compare_exchange_strong(never, Clock::now().time_since_epoch());
  gate().is_closed = true;
  const Clock::time_point end(gate().closed_at.load() + kMostPatience);
  const int others_left = own.uses > 0 ? 1 : 0;  // this thread is called back by us and does not return
  while (gate().threads > others_left && Clock::now() < end) std::this_thread::sleep_for(kPause);
  if (!gate().is_forked) {
    ++own.uses;
    wait_for_submitted(end);
    --own.uses;
  }
  own.ends_the_process = true;
}

// The parent's other threads are not there. Windows has no forks.
[[maybe_unused]] void count_after_fork() {
  gate().threads = this_thread().uses > 0 ? 1 : 0;
  gate().is_forked = true;
}

}  // namespace

bool is_driver_in_use() noexcept { return gate().threads > 0; }

DriverUse::DriverUse() noexcept : may_call_(enter_gate()) {}

DriverUse::~DriverUse() {
  if (may_call_ && --this_thread().uses == 0) --gate().threads;
}

void end_driver_use_at_exit() noexcept {
  static const int tracks_forks = pthread_atfork(nullptr, nullptr, count_after_fork);
  (void)tracks_forks;
  std::atexit(close_gate);
}

void abandon(const void* object) noexcept {
  struct Abandoned {
    const void* object;
    Abandoned* next;
  };
  static constinit std::atomic<Abandoned*> last = nullptr;
  auto* const added = new (std::nothrow) Abandoned{object, nullptr};
  if (added != nullptr) added->next = last.exchange(added);
}

}  // namespace vq::vulkan
