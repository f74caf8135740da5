#include "vulkan/context.h"

#include <chrono>
#include <cstring>

#include "core/text.h"
#include "core/trace.h"
#include "vulkan/device_impl.h"
#include "vulkan/limits.h"
#include "vulkan/recorder.h"

namespace vq::vulkan {
namespace {

constexpr std::chrono::seconds kTableTimeout{10};

Buffer make_table(const std::shared_ptr<Device>& device, std::span<const std::byte> content) {
  const auto size = static_cast<int64_t>(content.size());
  Buffer staging(device, Memory::kUpload, size);
  {
    const Device::Impl::NeededDriverUse use(device->impl(), "filling a table");
    std::memcpy(staging.mapped(), content.data(), content.size());
  }
  Buffer table(device, Memory::kDevice, size);
  Recorder recorder(device);
  recorder.copy(staging, table);
  CommandList list = recorder.finish();
  list.submit();
  list.wait(kTableTimeout);
  return table;
}

}  // namespace

void Context::require_same(bool same, std::string_view what) const {
  if (same && device_->impl().asked(Call::kStartUpCheck) == vk::Result::eSuccess) return;
  throw Error(ErrorKind::kBackend, words("{} failed the start-up check: it computes other {} than the CPU",
                                         device_->label(), what));
}

const Pipeline& Context::pipeline(const Shader& shader, const std::vector<uint32_t>& constants) {
  auto key = std::pair(std::string(shader.name), constants);
  const std::lock_guard lock(made_mutex_);
  const auto found = pipelines_.find(key);
  if (found != pipelines_.end()) return found->second;
  return pipelines_.emplace(std::move(key), Pipeline(device_, shader, constants)).first->second;
}

const Buffer& Context::byte_table(std::span<const std::byte> content) {
  std::string key(reinterpret_cast<const char*>(content.data()), content.size());
  const std::lock_guard lock(made_mutex_);
  const auto found = tables_.find(key);
  if (found != tables_.end()) return found->second;
  return tables_.emplace(std::move(key), make_table(device_, content)).first->second;
}

namespace {

// Those of any run; constants that follow the size of pictures make more in a process that runs on.
constexpr size_t kMostKept = 256;

std::shared_ptr<Pipeline::Impl> make_pipeline(Device::Impl& on, const Shader& shader,
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
  const TraceSpan span("make a pipeline");
  on.attempt(Call::kCreatePipeline, "compiling " + std::string(shader.name), [&] {
    impl->set_layout = on.device.createDescriptorSetLayout(
        {.bindingCount = static_cast<uint32_t>(bindings.size()), .pBindings = bindings.data()});
    const vk::PushConstantRange push{
        .stageFlags = vk::ShaderStageFlagBits::eCompute, .offset = 0, .size = kMaxPushBytes};
    impl->layout = on.device.createPipelineLayout({.setLayoutCount = 1,
                                                   .pSetLayouts = &*impl->set_layout,
                                                   .pushConstantRangeCount = 1,
                                                   .pPushConstantRanges = &push});
    const vk::raii::ShaderModule module =
        on.device.createShaderModule({.codeSize = shader.code.size_bytes(), .pCode = shader.code.data()});
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

// The device would never be closed if what it keeps co-owned it: those who use it do.
std::shared_ptr<const Pipeline::Impl> kept_by(const std::shared_ptr<Device>& device,
                                              const std::shared_ptr<const Pipeline::Impl>& pipeline) {
  return {device, pipeline.get()};
}

std::shared_ptr<const Pipeline::Impl> find_or_make(const std::shared_ptr<Device>& device,
                                                   const Shader& shader,
                                                   std::span<const uint32_t> constants) {
  Device::Impl& on = device->impl();
  const Device::Impl::PipelineKey key{shader.code.data(), {constants.begin(), constants.end()}};
  {
    const std::lock_guard lock(on.cache_mutex);
    const auto found = on.pipelines.find(key);
    if (found != on.pipelines.end()) return kept_by(device, found->second);
  }
  const std::shared_ptr<Pipeline::Impl> made = make_pipeline(on, shader, constants);
  const std::lock_guard lock(on.cache_mutex);
  on.cache_may_be_new = true;
  if (on.pipelines.size() < kMostKept) return kept_by(device, on.pipelines.emplace(key, made).first->second);
  made->device = device;
  return made;
}

}  // namespace

Pipeline::~Pipeline() = default;
Pipeline::Pipeline(Pipeline&&) noexcept = default;
Pipeline& Pipeline::operator=(Pipeline&&) noexcept = default;

Pipeline::Pipeline(const std::shared_ptr<Device>& device, const Shader& shader,
                   std::span<const uint32_t> constants)
    : name_(shader.name), accesses_(shader.accesses) {
  const Device::Impl& on = device->impl();
  const std::string reason = unsupported_reason(on.info, shader.needs(constants));
  if (!reason.empty()) throw on.refusal(reason);
  impl_ = find_or_make(device, shader, constants);
}

}  // namespace vq::vulkan
