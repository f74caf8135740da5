#include "vulkan/context.h"

#include <semaphore>

#include "core/plane.h"
#include "core/text.h"
#include "core/trace.h"
#include "core/worker_pool.h"
#include "vulkan/device_impl.h"
#include "vulkan/recorder.h"

namespace vq::vulkan {

constexpr std::chrono::seconds kTableTimeout{10};

static Buffer make_table(const std::shared_ptr<Device>& device, std::span<const std::byte> content) {
  const auto size = static_cast<int64_t>(content.size());
  Buffer table(device, Memory::kDevice, size);
  if (device == nullptr) return table;
  Buffer staging(device, Memory::kUpload, size);
  {
    const Device::Impl::NeededDriverUse use(device->impl(), "filling a table");
    std::memcpy(staging.mapped(), content.data(), content.size());
  }
  Recorder recorder(device);
  recorder.copy(staging, table);
  CommandList list = recorder.finish();
  list.submit();
  list.wait(kTableTimeout);
  return table;
}

void Context::require_same(bool same, std::string_view what) const {
  if (same && device_->impl().asked(Call::kStartUpCheck) == vk::Result::eSuccess) return;
  throw Error(ErrorKind::kBackend, "{} failed the start-up check: it computes other {} than the CPU",
              device_->label(), what);
}

const Pipeline& Context::pipeline(const Shader& shader, const Constants& constants) {
  auto key = std::pair(std::string(shader.name), constants.words());
  const std::lock_guard lock(made_mutex_);
  const auto found = pipelines_.find(key);
  if (found != pipelines_.end()) return found->second;
  return pipelines_.emplace(std::move(key), Pipeline(device_, shader, constants.words())).first->second;
}

const Buffer& Context::byte_table(std::span<const std::byte> content) {
  std::string key(reinterpret_cast<const char*>(content.data()), content.size());
  const std::lock_guard lock(made_mutex_);
  const auto found = tables_.find(key);
  if (found != tables_.end()) return found->second;
  return tables_.emplace(std::move(key), make_table(device_, content)).first->second;
}

// Pipelines of any run; constants that follow the size of pictures make more in a process that runs on.
constexpr size_t kMostKept = 256;

static std::shared_ptr<Pipeline::Impl> make_pipeline(Device::Impl& on, const Shader& shader,
                                                     std::span<const uint32_t> constants) {
  const std::shared_ptr<Pipeline::Impl> impl(new Pipeline::Impl, DriverDelete());
  std::vector<vk::DescriptorSetLayoutBinding> bindings;
  for (uint32_t i = 0; i < shader.accesses.size(); ++i) {
    bindings.push_back({.binding = i,
                        .descriptorType = vk::DescriptorType::eStorageBuffer,
                        .descriptorCount = 1,
                        .stageFlags = vk::ShaderStageFlagBits::eCompute});
  }
  std::vector<vk::SpecializationMapEntry> entries;
  for (uint32_t i = 0; i < constants.size(); ++i) {
    entries.push_back({.constantID = i, .offset = i * 4, .size = 4});
  }
  const vk::SpecializationInfo specialization{.mapEntryCount = static_cast<uint32_t>(entries.size()),
                                              .pMapEntries = entries.data(),
                                              .dataSize = constants.size_bytes(),
                                              .pData = constants.data()};
  const vk::PipelineCreateFlags flags = on.most_submission_bytes() < INT64_MAX
                                            ? vk::PipelineCreateFlagBits::eDispatchBase
                                            : vk::PipelineCreateFlags();
  if (on.is_lost) throw on.failure("compiling " + std::string(shader.name), vk::Result::eErrorDeviceLost);
  const TraceSpan span(shader.name);
  on.attempt(Call::kCreatePipeline, "compiling " + std::string(shader.name), [&] {
    impl->set_layout = on.device.createDescriptorSetLayout(
        {.bindingCount = static_cast<uint32_t>(bindings.size()), .pBindings = bindings.data()});
    const vk::PushConstantRange push{
        .stageFlags = vk::ShaderStageFlagBits::eCompute, .offset = 0, .size = kMaxPushBytes};
    impl->layout = on.device.createPipelineLayout({.setLayoutCount = 1,
                                                   .pSetLayouts = &*impl->set_layout,
                                                   .pushConstantRangeCount = 1,
                                                   .pPushConstantRanges = &push});
    const std::vector<uint32_t> code = code_for(on.info, shader);
    const vk::raii::ShaderModule module =
        on.device.createShaderModule({.codeSize = code.size() * sizeof(uint32_t), .pCode = code.data()});
    impl->pipeline =
        on.device.createComputePipeline(on.cache, {.flags = flags,
                                                   .stage = {.stage = vk::ShaderStageFlagBits::eCompute,
                                                             .module = *module,
                                                             .pName = "main",
                                                             .pSpecializationInfo = &specialization},
                                                   .layout = *impl->layout});
    if (!on.exit_handlers_may_be_new.exchange(true)) end_driver_use_at_exit();
  });
  return impl;
}

// The device, which outlives the threads, would never be closed if what it keeps co-owned it.
static Pipeline::Compiled compile(const std::shared_ptr<Device>& device, bool is_kept, const Shader& shader,
                                  const std::vector<uint32_t>& constants) {
  return std::async(std::launch::async | std::launch::deferred,
                    [&on = device->impl(), owner = is_kept ? nullptr : device, shader, constants] {
                      static std::counting_semaphore cores(usable_cores());
                      cores.acquire();
                      const std::shared_ptr<const void> released(nullptr,
                                                                 [](const void*) { cores.release(); });
                      const std::shared_ptr<Pipeline::Impl> made = make_pipeline(on, shader, constants);
                      made->device = owner;
                      const std::lock_guard lock(on.cache_mutex);
                      on.cache_may_be_new = true;
                      return std::shared_ptr<const Pipeline::Impl>(made);
                    });
}

Pipeline::~Pipeline() = default;
Pipeline::Pipeline(Pipeline&&) noexcept = default;
Pipeline& Pipeline::operator=(Pipeline&&) noexcept = default;

Pipeline::Pipeline(const std::shared_ptr<Device>& device, const Shader& shader,
                   std::span<const uint32_t> constants)
    : name_(shader.name),
      accesses_(shader.accesses),
      key_(shader.code.data(), std::vector(constants.begin(), constants.end())),
      device_(device) {
  if (device == nullptr) return;
  Device::Impl& on = device->impl();
  const std::string reason = unsupported_reason(on.info, shader.needs(constants));
  if (!reason.empty()) throw on.refusal(reason);
  const std::lock_guard lock(on.cache_mutex);
  const auto found = on.pipelines.find(key_);
  const bool is_kept = on.pipelines.size() < kMostKept;
  compiled_ = found != on.pipelines.end() ? found->second : compile(device, is_kept, shader, key_.second);
  if (is_kept) on.pipelines.emplace(key_, compiled_);
}

std::shared_ptr<const Pipeline::Impl> Pipeline::impl() const {
  try {
    const std::shared_ptr<const Impl>& made = compiled_.get();
    return made->device != nullptr ? made : std::shared_ptr<const Impl>(device_, made.get());
  } catch (const Error&) {
    // If it is asked for again, it is compiled again.
    Device::Impl& on = device_->impl();
    const std::lock_guard lock(on.cache_mutex);
    on.pipelines.erase(key_);
    throw;
  }
}

namespace {

using MemoryFlag = vk::MemoryPropertyFlagBits;

// In order of preference; the last of each list but that of kStored is what every device has.
std::vector<vk::MemoryPropertyFlags> requests_for(Memory memory) {
  const vk::MemoryPropertyFlags visible = MemoryFlag::eHostVisible,
                                coherent = visible | MemoryFlag::eHostCoherent;
  switch (memory) {
    case Memory::kDevice:
    case Memory::kShared:
      return {MemoryFlag::eDeviceLocal, {}};
    case Memory::kUpload:
      return {coherent, visible};
    case Memory::kReadback:
      // Reading past the caches is far slower than invalidating them.
      return {coherent | MemoryFlag::eHostCached, visible | MemoryFlag::eHostCached, coherent};
    case Memory::kStored:
      return {coherent | MemoryFlag::eHostCached, visible | MemoryFlag::eHostCached};
  }
  return {visible};
}

// The size of memory that several buffers share.
constexpr int64_t kDeviceBytes = int64_t{32} << 20, kMappedBytes = int64_t{4} << 20;

// Where a buffer lies.
struct Placed {
  std::shared_ptr<Allocation> allocation;
  vk::DeviceSize offset = 0;
};

// Room behind what was placed last in the type's open allocation, or in a new one. Throws vk::SystemError.
Placed place(const Device::Impl& on, const vk::MemoryRequirements& needs, uint32_t type, int64_t open_bytes) {
  const auto bytes = static_cast<int64_t>(needs.size);
  const int64_t alignment = std::max(static_cast<int64_t>(needs.alignment), kPlaneAlignment);
  const auto allocate = [&](int64_t size) {
    return std::make_shared<Allocation>(on, vk::MemoryAllocateInfo()
                                                .setAllocationSize(static_cast<vk::DeviceSize>(size))
                                                .setMemoryTypeIndex(type));
  };
  if (bytes > open_bytes / 4) return {allocate(bytes)};
  const std::lock_guard lock(on.allocation_mutex);
  std::shared_ptr<Allocation> open = on.open_allocations[type].lock();
  const auto offset_in = [&](const Allocation& allocation) { return round_up(allocation.used, alignment); };
  if (!open || offset_in(*open) + bytes > open->bytes) {
    open = allocate(open_bytes);
    on.open_allocations[type] = open;
  }
  const int64_t offset = offset_in(*open);
  open->used = offset + bytes;
  return {open, static_cast<vk::DeviceSize>(offset)};
}

std::string megabytes(int64_t bytes) { return std::to_string((bytes + 999'999) / 1'000'000) + " MB"; }

}  // namespace

Buffer::Buffer() = default;
Buffer::~Buffer() = default;
Buffer::Buffer(Buffer&&) noexcept = default;
Buffer& Buffer::operator=(Buffer&&) noexcept = default;

Buffer Buffer::part(int64_t offset, int64_t bytes) const {
  Buffer result;
  result.impl_ = impl_;
  result.bytes_ = bytes;
  result.offset_ = offset_ + offset;
  result.mapped_ = mapped_ != nullptr ? mapped_ + offset : nullptr;
  return result;
}

Buffer::Buffer(const std::shared_ptr<Device>& device, Memory memory, int64_t bytes) : bytes_(bytes) {
  if (MemoryCount::takes(static_cast<size_t>(bytes), memory == Memory::kDevice)) return;
  Device::Impl& on = device->impl();
  const std::shared_ptr<Impl> impl(new Impl(device), DriverDelete());
  impl->memory = memory;
  impl_ = impl;
  const bool is_shared = memory == Memory::kShared, is_mapped = memory != Memory::kDevice && !is_shared;
  const std::string reason = is_mapped ? "" : unsupported_buffer_reason(on.info, bytes);
  if (!reason.empty()) throw on.refusal(reason);
  on.attempt(Call::kAllocateMemory, "allocating " + megabytes(bytes), [&] {
    const vk::ExternalMemoryBufferCreateInfo for_others{.handleTypes = kSharedHandle};
    const uint32_t families[] = {on.choice.compute_family, on.choice.upload_family};
    const bool for_both = families[0] != families[1];
    impl->buffer = on.device.createBuffer(
        {.pNext = is_shared ? &for_others : nullptr,
         .size = static_cast<vk::DeviceSize>(bytes),
         .usage = kBufferUsage,
         .sharingMode = for_both ? vk::SharingMode::eConcurrent : vk::SharingMode::eExclusive,
         .queueFamilyIndexCount = for_both ? 2U : 0U,
         .pQueueFamilyIndices = families});
    const vk::MemoryRequirements needs = impl->buffer.getMemoryRequirements();
    std::vector<vk::MemoryPropertyFlags> requests = requests_for(memory);
    if (memory == Memory::kStored && on.has_one_memory) {
      const std::vector<vk::MemoryPropertyFlags> others = requests;
      for (vk::MemoryPropertyFlags& request : requests) request |= MemoryFlag::eDeviceLocal;
      requests.insert(requests.end(), others.begin(), others.end());
    }
    const uint32_t type = on.memory_type(needs.memoryTypeBits, requests);
    const vk::PhysicalDeviceMemoryProperties types = on.physical.getMemoryProperties();
    impl->is_coherent = static_cast<bool>(types.memoryTypes[type].propertyFlags & MemoryFlag::eHostCoherent);
    const vk::MemoryDedicatedAllocateInfo dedicated{.buffer = *impl->buffer};
    const vk::ExportMemoryAllocateInfo exported{.pNext = &dedicated, .handleTypes = kSharedHandle};
    Placed placed;
    // Memory that is not coherent is flushed and invalidated as a whole, so each buffer has its own.
    if (memory == Memory::kDevice || (is_mapped && impl->is_coherent)) {
      placed = place(on, needs, type, is_mapped ? kMappedBytes : kDeviceBytes);
    } else {
      placed.allocation =
          std::make_shared<Allocation>(on, vk::MemoryAllocateInfo{.pNext = is_shared ? &exported : nullptr,
                                                                  .allocationSize = needs.size,
                                                                  .memoryTypeIndex = type});
    }
    impl->allocation = std::move(placed.allocation);
    impl->offset = placed.offset;
    // Others may be mapping it.
    const std::lock_guard lock(on.allocation_mutex);
    impl->buffer.bindMemory(*impl->allocation->memory, placed.offset);
  });
  if (!is_mapped) return;
  on.attempt(Call::kMapMemory, "mapping " + megabytes(bytes), [&] {
    mapped_ = impl->allocation->mapped() + impl->offset;
    std::memset(mapped_, 0, static_cast<size_t>(bytes));
    // Data still in caches would be written over the device's.
    if (!impl->is_coherent) on.device.flushMappedMemoryRanges(impl->whole());
  });
}

int Buffer::export_memory() const {
  const Device::Impl& on = impl_->device->impl();
  const Device::Impl::NeededDriverUse use(on, "sharing its memory");
  try {
    return on.device.getMemoryFdKHR({.memory = *impl_->allocation->memory, .handleType = kSharedHandle});
  } catch (const vk::SystemError& error) {
    throw on.failure("sharing its memory", static_cast<vk::Result>(error.code().value()));
  }
}

int64_t Buffer::allocated_bytes() const { return impl_->allocation->bytes; }

Memory Buffer::memory() const { return impl_->memory; }

}  // namespace vq::vulkan
