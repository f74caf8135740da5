#include <hwy/base.h>

#include <iterator>

#include "vulkan/recorder_impl.h"
#include "vulkan/shader.h"

namespace vq::vulkan {

constexpr uint32_t kSetsPerPool = 64;
constexpr uint32_t kBindingsPerPool = 8 * kSetsPerPool;
constexpr uint32_t kMaxStages = 255;

using Stage = vk::PipelineStageFlagBits;
constexpr vk::AccessFlags kWrites = vk::AccessFlagBits::eShaderWrite | vk::AccessFlagBits::eTransferWrite;
constexpr vk::AccessFlags kReads = vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eTransferRead;

// A buffer that several families of this device use has no owner among them.
static vk::BufferMemoryBarrier acquisition_of(const Buffer& buffer) {
  const Device::Impl& on = buffer.impl()->device->impl();
  const bool is_of_several = on.choice.compute_family != on.choice.upload_family;
  const uint32_t own = is_of_several ? VK_QUEUE_FAMILY_IGNORED : on.choice.compute_family;
  return {.dstAccessMask = vk::AccessFlagBits::eMemoryRead | vk::AccessFlagBits::eMemoryWrite,
          .srcQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL,
          .dstQueueFamilyIndex = own,
          .buffer = *buffer.impl()->buffer,
          .offset = static_cast<vk::DeviceSize>(buffer.offset()),
          .size = static_cast<vk::DeviceSize>(buffer.bytes())};
}

static vk::BufferMemoryBarrier release_of(vk::BufferMemoryBarrier acquisition) {
  std::swap(acquisition.srcQueueFamilyIndex, acquisition.dstQueueFamilyIndex);
  acquisition.dstAccessMask = {};
  return acquisition;
}

void SharedMemory::acquire(const vk::raii::CommandBuffer& commands, const Buffer& buffer) {
  if (buffer.memory() != Memory::kShared) return;
  const vk::BufferMemoryBarrier barrier = acquisition_of(buffer);
  if (contains(acquired_, barrier)) return;
  acquired_.push_back(barrier);
  commands.pipelineBarrier(Stage::eTopOfPipe, Stage::eAllCommands, {}, {}, barrier, {});
}

void SharedMemory::release(const vk::raii::CommandBuffer& commands) {
  std::vector<vk::BufferMemoryBarrier> barriers;
  for (const vk::BufferMemoryBarrier& acquired : acquired_) barriers.push_back(release_of(acquired));
  acquired_.clear();
  if (!barriers.empty())
    commands.pipelineBarrier(Stage::eAllCommands, Stage::eBottomOfPipe, {}, {}, barriers, {});
}

vk::BufferCopy region_of(const Copy& copy) {
  return {.srcOffset = static_cast<vk::DeviceSize>(copy.from->offset() + copy.from_offset),
          .dstOffset = static_cast<vk::DeviceSize>(copy.to->offset() + copy.to_offset),
          .size = static_cast<vk::DeviceSize>(copy.bytes)};
}

struct Recorder::Impl {
  explicit Impl(std::shared_ptr<Device> on) : device(std::move(on)) {
    driver_use.emplace(device->impl(), "recording");
  }

  const std::shared_ptr<Device> device;
  std::optional<Device::Impl::NeededDriverUse> driver_use;  // until it is finished
  std::unique_ptr<CommandList::Impl, DriverDelete> list{new CommandList::Impl};
  int leave_out = -1;
  std::string stage_prefix;
  uint32_t sets_left = 0, bindings_left = 0;  // in the last pool
  SharedMemory shared;
  std::map<std::shared_ptr<const Buffer::Impl>, Access> uses;  // since the last barrier
  bool host_reads = false;
  std::vector<Written>* written = nullptr;  // null: nothing is watched
  std::string stage;
  std::set<std::shared_ptr<const Buffer::Impl>> zeroed;
  int64_t submission_bytes = 0;  // moved by the submission that is being recorded, at most

  const vk::raii::CommandBuffer& commands() const { return list->commands; }

  void begin_submission() {
    vk::raii::CommandBuffers buffers(device->impl().device, {.commandPool = *list->command_pool,
                                                             .level = vk::CommandBufferLevel::ePrimary,
                                                             .commandBufferCount = 1});
    list->commands = std::move(buffers.front());
    list->commands.begin({});
    submission_bytes = 0;
  }

  // Begins another submission if so many bytes more are too many for this one. They are on one queue, so
  // that barriers order them as they order what is in one.
  void make_room(int64_t bytes) {
    if (submission_bytes > 0 && submission_bytes + bytes > device->impl().most_submission_bytes()) {
      list->commands.end();
      list->earlier.push_back(std::move(list->commands));
      begin_submission();
    }
    submission_bytes += bytes;
  }

  // One barrier orders everything before it, so afterwards nothing is remembered.
  void barrier() {
    uses.clear();
    if (list->barriers++ == leave_out) return;
    const vk::MemoryBarrier all{.srcAccessMask = kWrites, .dstAccessMask = kReads | kWrites};
    commands().pipelineBarrier(Stage::eComputeShader | Stage::eTransfer,
                               Stage::eComputeShader | Stage::eTransfer, {}, all, {}, {});
  }

  void name(const Buffer& whole_or_part) {
    shared.acquire(commands(), whole_or_part);
    const std::shared_ptr<const Buffer::Impl>& buffer = whole_or_part.impl();
    if (!list->named.insert(buffer).second || buffer->is_coherent) return;
    if (buffer->memory == Memory::kUpload || buffer->memory == Memory::kStored)
      list->uploads.push_back(buffer->whole());
    if (buffer->memory == Memory::kReadback) list->readbacks.push_back(buffer->whole());
  }

  struct Use {
    const Buffer& buffer;
    Access access;
  };
  // In a recording that is watched.
  void zero_before_first_write(std::span<const Use> next) {
    for (const Use& use : next) {
      const std::shared_ptr<const Buffer::Impl>& buffer = use.buffer.impl();
      if (use.access != Access::kWrite || buffer->memory != Memory::kDevice) continue;
      if (!zeroed.insert(buffer).second) continue;
      prepare(std::span(&use, 1));
      commands().fillBuffer(*buffer->buffer, 0, VK_WHOLE_SIZE, 0);
    }
  }
  void prepare(std::span<const Use> next) {
    if (written != nullptr) zero_before_first_write(next);
    for (const Use& use : next) {
      const auto found = uses.find(use.buffer.impl());
      if (found == uses.end()) continue;
      if (found->second == Access::kWrite || use.access == Access::kWrite) {
        barrier();
        break;
      }
    }
    for (const Use& use : next) {
      name(use.buffer);
      const auto [entry, is_new] = uses.try_emplace(use.buffer.impl(), use.access);
      if (use.access != Access::kWrite) continue;
      entry->second = Access::kWrite;
      if (use.buffer.impl()->memory == Memory::kReadback) host_reads = true;
    }
  }

  vk::DescriptorSet make_set(const Pipeline& pipeline) {
    const vk::raii::Device& on = device->impl().device;
    const auto bindings = static_cast<uint32_t>(pipeline.accesses().size());
    if (sets_left == 0 || bindings_left < bindings) {
      bindings_left = std::max(kBindingsPerPool, bindings);
      const vk::DescriptorPoolSize size{.type = vk::DescriptorType::eStorageBuffer,
                                        .descriptorCount = bindings_left};
      list->descriptor_pools.push_back(
          on.createDescriptorPool({.maxSets = kSetsPerPool, .poolSizeCount = 1, .pPoolSizes = &size}));
      sets_left = kSetsPerPool;
    }
    --sets_left;
    bindings_left -= bindings;
    const vk::DescriptorSetAllocateInfo allocate{.descriptorPool = *list->descriptor_pools.back(),
                                                 .descriptorSetCount = 1,
                                                 .pSetLayouts = &*pipeline.impl()->set_layout};
    // A pool owns its sets: freeing them one by one would need another kind of pool.
    return (*on).allocateDescriptorSets(allocate, *on.getDispatcher()).front();
  }

  void end_stage() {
    if (list->stages.empty() || !*list->queries) return;
    commands().writeTimestamp(Stage::eBottomOfPipe, *list->queries,
                              static_cast<uint32_t>(list->stages.size()));
  }

  template <typename Function>
  void attempt(Function function) {
    try {
      function();
    } catch (const vk::SystemError& error) {
      throw device->impl().failure("recording", static_cast<vk::Result>(error.code().value()));
    }
  }
};

Recorder::Recorder(const std::shared_ptr<Device>& device, int leave_out)
    : impl_(std::make_unique<Impl>(device)) {
  impl_->leave_out = leave_out;
  CommandList::Impl& list = *impl_->list;
  list.device = device;
  const Device::Impl& on = device->impl();
  impl_->attempt([&] {
    list.command_pool = on.device.createCommandPool({.queueFamilyIndex = on.choice.compute_family});
    list.fence = on.device.createFence({});
    impl_->begin_submission();
    if (!on.info.has_timestamps) return;
    list.queries =
        on.device.createQueryPool({.queryType = vk::QueryType::eTimestamp, .queryCount = kMaxStages + 1});
    list.commands.resetQueryPool(*list.queries, 0, kMaxStages + 1);
  });
}

Recorder::~Recorder() = default;

void Recorder::set_stage_prefix(std::string prefix) { impl_->stage_prefix = std::move(prefix); }

void Recorder::begin_stage(std::string_view stage) {
  CommandList::Impl& list = *impl_->list;
  if (list.stages.size() == kMaxStages) return;
  impl_->end_stage();
  if (list.stages.empty() && *list.queries) list.commands.writeTimestamp(Stage::eTopOfPipe, *list.queries, 0);
  list.stages.push_back(impl_->stage_prefix + std::string(stage));
  impl_->stage = stage;
}

void Recorder::watch(std::vector<Written>& written) { impl_->written = &written; }

void Recorder::copy_writes(const Pass& pass) {
  std::vector<Copy> copies;
  std::vector<Written> own;
  for (size_t i = 0; i < pass.buffers_.size(); ++i) {
    const Buffer& buffer = *pass.buffers_[i];
    if (pass.pipeline_.accesses()[i] != Access::kWrite) continue;
    own.push_back(
        {impl_->stage, pass.pipeline_.name(), i, Buffer(impl_->device, Memory::kDevice, buffer.bytes())});
  }
  for (const Written& each : own)
    copies.push_back({.from = pass.buffers_[each.binding], .to = &each.copy, .bytes = each.copy.bytes()});
  std::vector<Written>& written = *std::exchange(impl_->written, nullptr);
  copy(copies);
  impl_->written = &written;
  std::move(own.begin(), own.end(), std::back_inserter(written));
}

void Recorder::copy(std::span<const Copy> copies) {
  std::vector<Impl::Use> uses;
  int64_t bytes = 0;
  for (const Copy& copy : copies) {
    bytes += 2 * copy.bytes;
    if (copy.to->memory() == Memory::kReadback) impl_->list->bytes_read += copy.bytes;
    uses.push_back({*copy.from, Access::kRead});
    uses.push_back({*copy.to, Access::kWrite});
  }
  impl_->attempt([&] { impl_->make_room(bytes); });
  impl_->prepare(uses);
  for (const Copy& copy : copies) {
    impl_->commands().copyBuffer(*copy.from->impl()->buffer, *copy.to->impl()->buffer, region_of(copy));
  }
}

void Recorder::copy(const Buffer& from, const Buffer& to) {
  const Copy whole{.from = &from, .to = &to, .bytes = from.bytes()};
  copy(std::span(&whole, 1));
}

void Recorder::fill(const Buffer& buffer, uint32_t word) {
  const Impl::Use uses[] = {{buffer, Access::kWrite}};
  impl_->prepare(uses);
  HWY_DASSERT(buffer.offset() == 0);
  impl_->commands().fillBuffer(*buffer.impl()->buffer, 0, VK_WHOLE_SIZE, word);
}

void Recorder::dispatch(const Pass& pass, std::span<const std::byte> push, Groups groups) {
  const Pipeline& pipeline = pass.pipeline_;
  if (pass.buffers_.size() != pipeline.accesses().size()) {
    throw Error(ErrorKind::kInternal, pipeline.name() + " has another number of bindings");
  }
  std::vector<Impl::Use> uses;
  std::vector<vk::DescriptorBufferInfo> infos;
  for (size_t i = 0; i < pass.buffers_.size(); ++i) {
    uses.push_back({*pass.buffers_[i], pipeline.accesses()[i]});
    infos.push_back(descriptor_of(*pass.buffers_[i]));
    impl_->list->largest_binding = std::max(impl_->list->largest_binding, pass.buffers_[i]->bytes());
  }
  const Device::Impl& on = impl_->device->impl();
  const std::string reason = unsupported_dispatch_reason(on.info, {groups.x, groups.y, groups.z});
  if (!reason.empty()) throw on.refusal(reason);
  int64_t bytes = 0;
  for (const Impl::Use& use : uses) bytes += use.buffer.bytes() * (use.access == Access::kWrite ? 2 : 1);
  // Along y, or x if that is all there is. Numbers of work groups in the other directions stay what they are.
  const bool is_row = groups.y == 1;
  const uint32_t along = is_row ? groups.x : groups.y;
  const int64_t pieces =
      std::clamp<int64_t>((bytes - 1) / on.most_submission_bytes() + 1, 1, std::max(along, 1U));
  impl_->attempt([&] { impl_->make_room(bytes / pieces); });
  impl_->prepare(uses);
  impl_->list->named.insert(pipeline.impl());
  impl_->attempt([&] {
    const vk::DescriptorSet set = impl_->make_set(pipeline);
    const vk::WriteDescriptorSet write{.dstSet = set,
                                       .dstBinding = 0,
                                       .descriptorCount = static_cast<uint32_t>(infos.size()),
                                       .descriptorType = vk::DescriptorType::eStorageBuffer,
                                       .pBufferInfo = infos.data()};
    std::vector<vk::WriteDescriptorSet> writes;
    for (uint32_t i = 0; i < infos.size(); ++i) {
      writes.push_back(write);
      writes.back().dstBinding = i;
      writes.back().descriptorCount = 1;
      writes.back().pBufferInfo = &infos[i];
    }
    on.device.updateDescriptorSets(writes, {});
    for (int64_t piece = 0; piece < pieces; ++piece) {
      if (piece > 0) impl_->make_room(bytes / pieces);
      const auto first = static_cast<uint32_t>(along * piece / pieces),
                 count = static_cast<uint32_t>(along * (piece + 1) / pieces) - first;
      const vk::raii::CommandBuffer& commands = impl_->commands();
      commands.bindPipeline(vk::PipelineBindPoint::eCompute, *pipeline.impl()->pipeline);
      commands.bindDescriptorSets(vk::PipelineBindPoint::eCompute, *pipeline.impl()->layout, 0, set, {});
      commands.pushConstants<std::byte>(
          *pipeline.impl()->layout, vk::ShaderStageFlagBits::eCompute, 0,
          vk::ArrayProxy<const std::byte>(static_cast<uint32_t>(push.size()), push.data()));
      if (pieces == 1) {
        commands.dispatch(groups.x, groups.y, groups.z);
      } else {
        commands.dispatchBase(is_row ? first : 0, is_row ? 0 : first, 0, is_row ? count : groups.x,
                              is_row ? 1 : count, groups.z);
      }
    }
  });
  if (impl_->written != nullptr) copy_writes(pass);
}

void Recorder::show_to_later_lists() { impl_->barrier(); }

CommandList Recorder::finish() {
  impl_->end_stage();
  impl_->shared.release(impl_->commands());
  if (impl_->host_reads) {
    const vk::MemoryBarrier to_host{.srcAccessMask = kWrites, .dstAccessMask = vk::AccessFlagBits::eHostRead};
    impl_->commands().pipelineBarrier(Stage::eComputeShader | Stage::eTransfer, Stage::eHost, {}, to_host, {},
                                      {});
  }
  impl_->attempt([&] { impl_->commands().end(); });
  CommandList list;
  list.impl_.reset(impl_->list.release());
  impl_->driver_use.reset();
  return list;
}

}  // namespace vq::vulkan
