#include "vulkan/recorder.h"

#include "core/error.h"
#include "vulkan/recorder_impl.h"
#include "vulkan/shader.h"
#include "vulkan/shared_picture.h"

namespace vq::vulkan {

constexpr uint32_t kMarks = 2;
constexpr uint32_t kBindings = 4;  // of a dispatch, at most
// For work that others have seen the end of.
constexpr std::chrono::milliseconds kAtOnce{10'000};

// Commands that follow on the same queue see what these wrote.
static void end_dispatches(const vk::raii::CommandBuffer& commands, SharedMemory& shared) {
  using PipelineStage = vk::PipelineStageFlagBits;
  using MemoryAccess = vk::AccessFlagBits;
  const vk::MemoryBarrier barrier{
      .srcAccessMask = MemoryAccess::eShaderWrite,
      .dstAccessMask = MemoryAccess::eShaderRead | MemoryAccess::eShaderWrite | MemoryAccess::eTransferRead};
  commands.pipelineBarrier(PipelineStage::eComputeShader,
                           PipelineStage::eComputeShader | PipelineStage::eTransfer, {}, barrier, {}, {});
  shared.release(commands);
  commands.end();
}

// A command buffer, the only one of a pool.
static void make_commands(const Device::Impl& on, uint32_t family, vk::raii::CommandPool& pool,
                          vk::raii::CommandBuffer& commands) {
  pool = on.device.createCommandPool(
      {.flags = vk::CommandPoolCreateFlagBits::eTransient, .queueFamilyIndex = family});
  vk::raii::CommandBuffers buffers(
      on.device, {.commandPool = *pool, .level = vk::CommandBufferLevel::ePrimary, .commandBufferCount = 1});
  commands = std::move(buffers.front());
}

Upload::~Upload() = default;
Upload::Upload(Upload&&) noexcept = default;
Upload& Upload::operator=(Upload&&) noexcept = default;

Upload::Upload(const std::shared_ptr<Device>& device, uint32_t most_dispatches)
    : impl_(std::make_unique<Impl>()) {
  impl_->device = device;
  impl_->list.reset(new CommandList::Impl);
  CommandList::Impl& list = *impl_->list;
  list.device = device;
  const Device::Impl& on = device->impl();
  const Device::Impl::NeededDriverUse use(on, "preparing uploads");
  list.queue = on.upload_queue;
  const uint32_t family = on.choice.upload_family;
  try {
    for (auto* semaphore : {&impl_->semaphore, &impl_->brought})
      semaphore->reset(new vk::raii::Semaphore(on.device, vk::SemaphoreCreateInfo{}), DriverDelete());
    make_commands(on, family, list.command_pool, list.commands);
    prepare_dispatches(most_dispatches);
    list.fence = on.device.createFence({});
    if (on.families[family].clock_bits == 0) return;
    list.queries = on.device.createQueryPool({.queryType = vk::QueryType::eTimestamp, .queryCount = kMarks});
  } catch (const vk::SystemError& error) {
    throw on.failure("preparing uploads", static_cast<vk::Result>(error.code().value()));
  }
}

void Upload::prepare_dispatches(uint32_t most) {
  const Device::Impl& on = impl_->device->impl();
  impl_->dispatches.reset(new Impl::Dispatches, DriverDelete());
  Impl::Dispatches& dispatches = *impl_->dispatches;
  dispatches.device = impl_->device;
  dispatches.most = most;
  make_commands(on, on.choice.compute_family, dispatches.command_pool, dispatches.commands);
  const vk::DescriptorPoolSize size{.type = vk::DescriptorType::eStorageBuffer,
                                    .descriptorCount = most * kBindings};
  dispatches.descriptors =
      on.device.createDescriptorPool({.maxSets = most, .poolSizeCount = 1, .pPoolSizes = &size});
}

void Upload::begin() {
  CommandList::Impl& list = *impl_->list;
  Impl::Dispatches& dispatches = *impl_->dispatches;
  const Device::Impl::NeededDriverUse use(list.device->impl(), "recording");
  impl_->copies = 0;
  milliseconds_.reset();
  impl_->shared = dispatches.shared = SharedMemory();
  for (auto* named : {&list.named, &dispatches.named}) named->clear();
  for (auto* uploads : {&list.uploads, &dispatches.uploads}) uploads->clear();
  try {
    if (std::exchange(dispatches.count, 0) > 0) {
      dispatches.command_pool.reset();
      dispatches.descriptors.reset();
    }
    list.command_pool.reset();
    list.commands.begin({.flags = vk::CommandBufferUsageFlagBits::eOneTimeSubmit});
    if (!*list.queries) return;
    list.queries.reset(0, kMarks);
    list.commands.writeTimestamp(vk::PipelineStageFlagBits::eTopOfPipe, *list.queries, 0);
  } catch (const vk::SystemError& error) {
    throw list.device->impl().failure("recording", static_cast<vk::Result>(error.code().value()));
  }
}

void Upload::copy(const Copy& copy) {
  CommandList::Impl& list = *impl_->list;
  const Device::Impl::NeededDriverUse use(list.device->impl(), "recording");
  for (const Buffer* buffer : {copy.from, copy.to}) {
    const bool is_new = list.named.insert(buffer->impl()).second;
    impl_->shared.acquire(list.commands, *buffer);
    if (is_new && buffer == copy.from && !buffer->impl()->is_coherent)
      list.uploads.push_back(buffer->impl()->whole());
  }
  list.commands.copyBuffer(*copy.from->impl()->buffer, *copy.to->impl()->buffer, region_of(copy));
  ++impl_->copies;
}

void Upload::dispatch(const Pipeline& pipeline, const std::vector<const Buffer*>& buffers,
                      std::span<const std::byte> push, Groups groups) {
  Impl::Dispatches& dispatches = *impl_->dispatches;
  const Device::Impl& on = impl_->device->impl();
  if (buffers.size() != pipeline.accesses().size() || buffers.size() > kBindings ||
      dispatches.count == dispatches.most) {
    throw Error(ErrorKind::kInternal, pipeline.name() + " does not fit an upload");
  }
  const std::string reason = unsupported_dispatch_reason(on.info, {groups.x, groups.y, groups.z});
  if (!reason.empty()) throw on.refusal(reason);
  const Device::Impl::NeededDriverUse use(on, "recording");
  try {
    const vk::raii::CommandBuffer& commands = dispatches.commands;
    if (dispatches.count++ == 0) commands.begin({.flags = vk::CommandBufferUsageFlagBits::eOneTimeSubmit});
    const vk::DescriptorSetAllocateInfo allocate{.descriptorPool = *dispatches.descriptors,
                                                 .descriptorSetCount = 1,
                                                 .pSetLayouts = &*pipeline.impl()->set_layout};
    // As in a recording: the pool owns its sets.
    const vk::DescriptorSet set =
        (*on.device).allocateDescriptorSets(allocate, *on.device.getDispatcher()).front();
    for (uint32_t i = 0; i < buffers.size(); ++i) {
      const vk::DescriptorBufferInfo info = descriptor_of(*buffers[i]);
      on.device.updateDescriptorSets(
          vk::WriteDescriptorSet{.dstSet = set,
                                 .dstBinding = i,
                                 .descriptorCount = 1,
                                 .descriptorType = vk::DescriptorType::eStorageBuffer,
                                 .pBufferInfo = &info},
          {});
      const bool is_new = dispatches.named.insert(buffers[i]->impl()).second;
      dispatches.shared.acquire(commands, *buffers[i]);
      if (is_new && pipeline.accesses()[i] == Access::kRead && !buffers[i]->impl()->is_coherent) {
        dispatches.uploads.push_back(buffers[i]->impl()->whole());
      }
    }
    dispatches.named.insert(pipeline.impl());
    commands.bindPipeline(vk::PipelineBindPoint::eCompute, *pipeline.impl()->pipeline);
    commands.bindDescriptorSets(vk::PipelineBindPoint::eCompute, *pipeline.impl()->layout, 0, set, {});
    commands.pushConstants<std::byte>(
        *pipeline.impl()->layout, vk::ShaderStageFlagBits::eCompute, 0,
        vk::ArrayProxy<const std::byte>(static_cast<uint32_t>(push.size()), push.data()));
    commands.dispatch(groups.x, groups.y, groups.z);
  } catch (const vk::SystemError& error) {
    throw on.failure("recording", static_cast<vk::Result>(error.code().value()));
  }
}

void Upload::keep(const std::shared_ptr<const void>& what) {
  impl_->list->named.insert(what);
  impl_->dispatches->named.insert(what);
}

void Upload::submit() {
  CommandList::Impl& list = *impl_->list;
  Device::Impl& on = list.device->impl();
  if (on.hangs) throw on.failure("submitting work", vk::Result::eTimeout);
  on.attempt(Call::kSubmit, "submitting work", [&] {
    if (impl_->dispatches->count > 0) end_dispatches(impl_->dispatches->commands, impl_->dispatches->shared);
    impl_->shared.release(list.commands);
    if (*list.queries)
      list.commands.writeTimestamp(vk::PipelineStageFlagBits::eBottomOfPipe, *list.queries, 1);
    list.commands.end();
    if (impl_->copies == 0) return;
    if (!list.uploads.empty()) on.device.flushMappedMemoryRanges(list.uploads);
    on.device.resetFences(*list.fence);
    list.named.insert(impl_->semaphore);
    on.submit(*list.queue,
              vk::SubmitInfo{}.setCommandBuffers(*list.commands).setSignalSemaphores(**impl_->semaphore),
              *list.fence);
    list.set_submitted(true);
  });
}

void Upload::finish() {
  CommandList::Impl& list = *impl_->list;
  const Device::Impl::NeededDriverUse use(list.device->impl(), "waiting for an upload");
  impl_->dispatches->named.clear();
  if (!list.submitted) {
    list.named.clear();
    return;
  }
  const vk::Result result = has_finished(list) ? vk::Result::eSuccess : wait_for(list, kAtOnce);
  if (result != vk::Result::eSuccess) throw list.device->impl().failure("waiting for an upload", result);
  let_validation_finish(list);
  list.set_submitted(false);
  list.named.clear();
  read_time();
}

void Upload::read_time() {
  const CommandList::Impl& list = *impl_->list;
  if (!*list.queries) return;
  const Device::Impl& on = list.device->impl();
  try {
    const auto [result, ticks] =
        list.queries.getResults<uint64_t>(0, kMarks, kMarks * 8, 8, vk::QueryResultFlagBits::e64);
    if (result != vk::Result::eSuccess) return;  // the work is done, so this would be the driver's mistake
    milliseconds_ = milliseconds_between(on, on.choice.upload_family, ticks[0], ticks[1]);
  } catch (const vk::SystemError& error) {
    throw on.failure("reading its clock", static_cast<vk::Result>(error.code().value()));
  }
}

namespace {

// Left to those who cannot do without.
constexpr int64_t kSpareBuffers = 32;

// Sizes are multiples of this, so that pictures that differ by little share them.
constexpr int64_t kGrain = 4096;

// The buffers that nobody uses. Shared by a store and its pieces.
class Pool {
 public:
  Pool(std::shared_ptr<Device> device, int64_t most_bytes) : device_(std::move(device)), most_(most_bytes) {}

  const std::shared_ptr<Device>& device() const { return device_; }

  // Nothing if there is no room, or no memory.
  std::optional<Buffer> take(int64_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = free_.find(bytes); found != free_.end()) return take_out(found);
      while (taken_ + bytes > most_ && !free_.empty()) {
        taken_ -= free_.begin()->first;
        free_.erase(free_.begin());
      }
      if (taken_ + bytes > most_ || device_->buffers_left() <= kSpareBuffers) return std::nullopt;
      taken_ += bytes;
    }
    try {
      return Buffer(device_, Memory::kStored, bytes);
    } catch (const Error&) {
      const std::lock_guard lock(mutex_);
      taken_ -= bytes;
      most_ = taken_;  // nor will it have more later: asking takes long
      return std::nullopt;
    }
  }

  void give_back(Buffer buffer) {
    const std::lock_guard lock(mutex_);
    if (!is_closed_) free_.emplace(buffer.bytes(), std::move(buffer));
  }

  // Memory that comes back from now on is freed.
  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    free_.clear();
  }

 private:
  using Buffers = std::multimap<int64_t, Buffer>;

  Buffer take_out(Buffers::iterator at) {
    Buffer buffer = std::move(at->second);
    free_.erase(at);
    return buffer;
  }

  const std::shared_ptr<Device> device_;
  std::mutex mutex_;
  Buffers free_;  // by size
  int64_t most_;
  int64_t taken_ = 0;  // bytes of all buffers
  bool is_closed_ = false;
};

class Piece final : public HostVisibleMemory, public PictureSource {
 public:
  Piece(std::shared_ptr<Pool> pool, Buffer buffer) : pool_(std::move(pool)), buffer_(std::move(buffer)) {}
  ~Piece() override { pool_->give_back(std::move(buffer_)); }
  Piece& operator=(Piece&&) = delete;

  const void* device() const override { return pool_->device().get(); }
  std::byte* data() const override { return buffer_.mapped(); }
  int64_t bytes() const override { return buffer_.bytes(); }

  std::optional<PlaneSource> plane(const Frame& frame, int i) const override {
    const SampleView& view = frame.planes[static_cast<size_t>(i)];
    return view.is_u8() ? find(view.u8) : find(view.u16);
  }

 private:
  template <typename T>
  std::optional<PlaneSource> find(PlaneView<const T> view) const {
    const auto start = reinterpret_cast<uintptr_t>(view.data), own = reinterpret_cast<uintptr_t>(data());
    if (view.empty() || view.stride <= 0 || start < own) return std::nullopt;
    PlaneSource source{.buffer = &buffer_,
                       .size = {view.width, view.height},
                       .offset = static_cast<int64_t>(start - own),
                       .stride = int64_t{view.stride} * static_cast<int64_t>(sizeof(T)),
                       .step = sizeof(T),
                       .is_near = pool_->device()->has_one_memory()};
    const int64_t end = source.offset + source.stride * (view.height - 1) + int64_t{view.width} * source.step;
    if (end > bytes()) return std::nullopt;
    return source;
  }

  const std::shared_ptr<Pool> pool_;
  Buffer buffer_;
};

class PooledStore final : public FrameStore {
 public:
  explicit PooledStore(std::shared_ptr<Pool> pool) : pool_(std::move(pool)) {}
  ~PooledStore() override { pool_->close(); }
  PooledStore& operator=(PooledStore&&) = delete;

  std::shared_ptr<const HostVisibleMemory> take(int64_t bytes) override {
    std::optional<Buffer> buffer = pool_->take(round_up(bytes, kGrain));
    if (!buffer) return nullptr;
    return std::make_shared<Piece>(pool_, std::move(*buffer));
  }

 private:
  const std::shared_ptr<Pool> pool_;
};

}  // namespace

const PictureSource* source_of(const Frame& frame, const Device& device) {
  if (frame.place == nullptr || frame.place->device() != &device) return nullptr;
  return dynamic_cast<const PictureSource*>(frame.place.get());
}

std::shared_ptr<FrameStore> make_frame_store(const std::shared_ptr<Device>& device, int64_t most_bytes) {
  return std::make_shared<PooledStore>(std::make_shared<Pool>(device, most_bytes));
}

}  // namespace vq::vulkan
