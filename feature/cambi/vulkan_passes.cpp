#include "feature/cambi/vulkan_passes.h"

#include <cstring>

#include "core/plane.h"
#include "core/platform.h"
#include "shaders/cambi/shared.h"
// Made by the build from shaders/*.comp.
#include "shaders/cambi_decimate.h"
#include "shaders/cambi_mask.h"
#include "shaders/cambi_mode_filter.h"
#include "shaders/cambi_preprocess.h"
#include "vulkan/limits.h"

namespace vq::cambi::gpu {
namespace {

static_assert(kRowSlack == kRowGuardBytes);
static_assert(2 * kMaskReach + 1 == kMaskBox);

constexpr vulkan::Shader kPreprocessShader{"cambi_preprocess", kCambiPreprocessSpirv};
constexpr vulkan::Shader kMaskShader{"cambi_mask", kCambiMaskSpirv};
constexpr vulkan::Shader kDecimateShader{"cambi_decimate", kCambiDecimateSpirv};
constexpr vulkan::Shader kModeFilterShader{"cambi_mode_filter", kCambiModeFilterSpirv};

constexpr std::chrono::seconds kTableTimeout{10};

uint width_of(const GpuPlane& plane) {
  return static_cast<uint>(plane.layout.width);
}
uint height_of(const GpuPlane& plane) {
  return static_cast<uint>(plane.layout.height);
}
uint stride_of(const GpuPlane& plane) {
  return static_cast<uint>(plane.layout.stride_bytes());
}

// Groups of kGroupX by kGroupY invocations, each making so many samples of so many rows.
vulkan::Groups groups_of(const GpuPlane& out, uint samples, uint rows) {
  return {vulkan::groups_for(out.layout.width, samples * kGroupX),
          vulkan::groups_for(out.layout.height, rows * kGroupY)};
}

vulkan::Buffer make_source_table(const std::shared_ptr<vulkan::Device>& device, const CambiPlan& plan) {
  // Nothing is read without resizing, but what the shader sees must be something.
  if (!plan.resizes()) return {device, vulkan::Memory::kDevice, 4};
  std::vector<int32_t> entries = plan.source_columns;
  entries.insert(entries.end(), plan.source_rows.begin(), plan.source_rows.end());
  return make_table(device, entries);
}

}  // namespace

std::string unsupported_by_stages(const vulkan::DeviceInfo& device) {
  for (const vulkan::Shader& shader : {kPreprocessShader, kMaskShader, kDecimateShader, kModeFilterShader}) {
    std::string reason = unsupported_reason(device, vulkan::needs_of(shader, {}));
    if (!reason.empty()) return reason;
  }
  return "";
}

vulkan::Buffer make_byte_table(const std::shared_ptr<vulkan::Device>& device,
                               std::span<const std::byte> bytes) {
  const auto size = static_cast<int64_t>(bytes.size());
  vulkan::Buffer staging(device, vulkan::Memory::kUpload, size);
  std::memcpy(staging.mapped(), bytes.data(), bytes.size());
  vulkan::Buffer table(device, vulkan::Memory::kDevice, size);
  vulkan::Recorder recorder(device);
  recorder.copy(staging, table);
  vulkan::CommandList list = recorder.finish();
  list.submit();
  list.wait(kTableTimeout);
  return table;
}

int64_t Layout::stride_bytes() const {
  return (static_cast<int64_t>(width) * sample_bytes + 63) / 64 * 64 + static_cast<int64_t>(kRowGuardBytes);
}

const vulkan::Pipeline& Kernels::get(const vulkan::Shader& shader, const std::vector<uint32_t>& constants) {
  const auto key = std::pair(std::string(shader.name), constants);
  const auto found = pipelines_.find(key);
  if (found != pipelines_.end()) return found->second;
  return pipelines_.emplace(key, vulkan::Pipeline(device_, shader, constants)).first->second;
}

PreprocessBuffers::PreprocessBuffers(const std::shared_ptr<vulkan::Device>& device, const CambiPlan& plan)
    : table(make_source_table(device, plan)), excess(device, vulkan::Memory::kDevice, 4) {}

void Passes::preprocess(const GpuPlane& luma, const CambiPlan& plan, const PreprocessBuffers& buffers,
                        const GpuPlane& image) {
  const vulkan::Pipeline& pipeline = kernels_.get(
      kPreprocessShader, {static_cast<uint32_t>(luma.layout.sample_bytes),
                          static_cast<uint32_t>(plan.input_depth), plan.resizes(), plan.anti_dither});
  const PreprocessPush push{.width = width_of(image),
                            .height = height_of(image),
                            .in_stride = stride_of(luma),
                            .out_stride = stride_of(image),
                            .in_words = static_cast<uint>(luma.layout.bytes() / 4)};
  recorder_.fill(buffers.excess, 0);
  recorder_.pass(pipeline, {&luma.buffer, &buffers.table, &image.buffer, &buffers.excess})
      .run(push, groups_of(image, kVector, 1));
}

void Passes::mask(const GpuPlane& image, int threshold, const GpuPlane& mask) {
  const MaskPush push{.width = width_of(image),
                      .height = height_of(image),
                      .in_stride = stride_of(image),
                      .out_stride = stride_of(mask),
                      .threshold = threshold};
  recorder_.pass(kernels_.get(kMaskShader), {&image.buffer, &mask.buffer})
      .run(push, {vulkan::groups_for(image.layout.width, kMaskTileX),
                  vulkan::groups_for(image.layout.height, kMaskTileY)});
}

void Passes::decimate_mask(const GpuPlane& in, int times, const GpuPlane& out) {
  const DecimatePush push{.width = width_of(out),
                          .height = height_of(out),
                          .in_stride = stride_of(in),
                          .out_stride = stride_of(out),
                          .shift = static_cast<uint>(times)};
  recorder_.pass(kernels_.get(kDecimateShader), {&in.buffer, &out.buffer}).run(push, groups_of(out, 4, 1));
}

void Passes::mode_filter(const GpuPlane& in, bool halve, const GpuPlane& out) {
  const ModeFilterPush push{.width = width_of(out),
                            .height = height_of(out),
                            .in_stride = stride_of(in),
                            .out_stride = stride_of(out)};
  recorder_.pass(kernels_.get(kModeFilterShader, {halve ? 2U : 1U}), {&in.buffer, &out.buffer})
      .run(push, groups_of(out, kVector, kFilterRows));
}

Picture::Picture(Kernels& kernels, const CambiPlan& plan)
    : kernels_(kernels),
      plan_(plan),
      input_{plan.input_width, plan.input_height, plan.input_depth == 8 ? 1 : 2},
      staging_(kernels.device(), vulkan::Memory::kUpload, input_.bytes()),
      luma_(kernels.device(), input_),
      whole_image_(kernels.device(), {plan.width, plan.height, 2}),
      whole_mask_(kernels.device(), {plan.width, plan.height, 1}),
      preprocess_(kernels.device(), plan) {
  for (size_t k = 0; k < kScales; ++k) {
    const ScalePlan& scale = plan.scales[k];
    images_[k] = GpuPlane(kernels.device(), {scale.width, scale.height, 2});
    if (k > 0 || plan.halve_first) masks_[k] = GpuPlane(kernels.device(), {scale.width, scale.height, 1});
  }
}

const GpuPlane& Picture::mask(int scale) const {
  return scale == 0 && !plan_.halve_first ? whole_mask_ : masks_[static_cast<size_t>(scale)];
}

int64_t Picture::upload(const SampleView& luma) {
  copy_luma(luma, input_, staging_.mapped());
  return input_.bytes();
}

// The masks of all scales come from the whole one, so that they wait for nothing but it; they are made while
// the chain of filters, of which each waits for the one before, leaves the device room.
void Picture::record(vulkan::Recorder& recorder, bool decimate_masks) {
  Passes passes(recorder, kernels_);
  recorder.begin_stage("upload");
  recorder.copy(staging_, luma_.buffer);
  recorder.begin_stage("preprocess");
  passes.preprocess(luma_, plan_, preprocess_, whole_image_);
  recorder.begin_stage("mask");
  passes.mask(whole_image_, plan_.mask_threshold, whole_mask_);
  recorder.begin_stage("mode_filter");
  passes.mode_filter(whole_image_, plan_.halve_first, images_[0]);
  if (decimate_masks) recorder.begin_stage("decimate");
  for (int k = plan_.halve_first ? 0 : 1; decimate_masks && k < kScales; ++k) {
    passes.decimate_mask(whole_mask_, plan_.halve_first ? k + 1 : k, masks_[static_cast<size_t>(k)]);
  }
  if (decimate_masks) recorder.begin_stage("mode_filter");
  for (size_t k = 1; k < kScales; ++k) passes.mode_filter(images_[k - 1], true, images_[k]);
}

void copy_luma(const SampleView& luma, const Layout& layout, std::byte* to) {
  const auto copy = [&](const auto& plane) {
    const size_t bytes = static_cast<size_t>(plane.width) * sizeof(*plane.data);
    for (int y = 0; y < plane.height; ++y) std::memcpy(to + layout.stride_bytes() * y, plane.row(y), bytes);
  };
  if (luma.is_u8()) {
    copy(luma.u8);
  } else {
    copy(luma.u16);
  }
}

}  // namespace vq::cambi::gpu
