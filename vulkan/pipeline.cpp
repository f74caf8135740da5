#include "core/trace.h"
#include "vulkan/buffer_impl.h"
#include "vulkan/limits.h"

namespace vq::vulkan {

Pipeline::~Pipeline() = default;
Pipeline::Pipeline(Pipeline&&) noexcept = default;
Pipeline& Pipeline::operator=(Pipeline&&) noexcept = default;

Pipeline::Pipeline(const std::shared_ptr<Device>& device, const Shader& shader,
                   std::span<const uint32_t> constants)
    : name_(shader.name), accesses_(shader.accesses) {
  Device::Impl& on = device->impl();
  const std::string reason = unsupported_reason(on.info, shader.needs(constants));
  if (!reason.empty()) throw on.refusal(reason);
  const std::shared_ptr<Impl> impl(new Impl, DriverDelete());
  impl->device = device;
  impl_ = impl;

  std::vector<vk::DescriptorSetLayoutBinding> bindings;
  for (uint32_t i = 0; i < accesses_.size(); ++i) {
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
  const TraceSpan span("make a pipeline");
  on.attempt(Call::kCreatePipeline, "compiling " + name_, [&] {
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
        on.device.createComputePipeline(on.cache, {.stage = {.stage = vk::ShaderStageFlagBits::eCompute,
                                                             .module = *module,
                                                             .pName = "main",
                                                             .pSpecializationInfo = &specialization},
                                                   .layout = *impl->layout});
    end_driver_use_at_exit();
  });
  const std::lock_guard lock(on.cache_mutex);
  if (!on.made_pipelines.emplace(name_, std::vector(constants.begin(), constants.end())).second) return;
  on.cache_may_be_new = true;
  on.exit_handlers_may_be_new = true;
}

}  // namespace vq::vulkan
