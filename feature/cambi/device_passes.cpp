#include "feature/cambi/device_passes.h"

#include <cstring>
#include <vector>

#include "core/platform.h"
#include "shaders/cambi/shared.h"
// Made by the build from shaders/.
#include "shaders/cambi_decimate.h"
#include "shaders/cambi_mask.h"
#include "shaders/cambi_mode_filter.h"
#include "shaders/cambi_preprocess.h"
#include "vulkan/shader.h"

namespace vq::cambi::gpu {
namespace {

static_assert(kRowSlack == kRowGuardBytes);
static_assert(2 * kMaskReach + 1 == kMaskBox);

uint width_of(const vulkan::DevicePlane& plane) {
  return static_cast<uint>(plane.layout.width);
}
uint height_of(const vulkan::DevicePlane& plane) {
  return static_cast<uint>(plane.layout.height);
}
uint stride_of(const vulkan::DevicePlane& plane) {
  return static_cast<uint>(plane.layout.stride_bytes());
}

// Groups of kGroupX by kGroupY invocations, each making so many samples of so many rows.
vulkan::Groups groups_of(const vulkan::DevicePlane& out, uint samples, uint rows) {
  return {vulkan::groups_for(out.layout.width, samples * kGroupX),
          vulkan::groups_for(out.layout.height, rows * kGroupY)};
}

int64_t image_and_mask_bytes(int width, int height) {
  return vulkan::PlaneLayout{width, height, 2}.bytes() + vulkan::PlaneLayout{width, height, 1}.bytes();
}

const vulkan::Buffer* source_table(vulkan::Context& context, const CambiPlan& plan) {
  if (!plan.resizes()) return nullptr;
  std::vector<int32_t> entries = plan.source_columns;
  entries.insert(entries.end(), plan.source_rows.begin(), plan.source_rows.end());
  return &context.table(entries);
}

}  // namespace

std::string unsupported_by_stages(const vulkan::DeviceInfo& device) {
  return unsupported_reason(device, {shaders::kCambiPreprocess, shaders::kCambiMask, shaders::kCambiDecimate,
                                     shaders::kCambiModeFilter});
}

PreprocessBuffers::PreprocessBuffers(vulkan::Context& context, const CambiPlan& plan)
    : table(source_table(context, plan)), excess(context.device(), vulkan::Memory::kDevice, 4) {}

void Passes::preprocess(const vulkan::DevicePlane& luma, const CambiPlan& plan,
                        const PreprocessBuffers& buffers, const vulkan::DevicePlane& image) {
  const vulkan::Pipeline& pipeline = context_.pipeline(
      shaders::kCambiPreprocess, {static_cast<uint32_t>(luma.layout.sample_bytes),
                                  static_cast<uint32_t>(plan.input_depth), plan.resizes(), plan.anti_dither});
  const PreprocessPush push{.width = width_of(image),
                            .height = height_of(image),
                            .in_stride = stride_of(luma),
                            .out_stride = stride_of(image),
                            .in_width = width_of(luma),
                            .in_height = height_of(luma)};
  recorder_.fill(buffers.excess, 0);
  // Without resizing nothing is read of the table, but the shader must see something.
  const vulkan::Buffer& table = buffers.table != nullptr ? *buffers.table : luma.buffer;
  recorder_.pass(pipeline, {&luma.buffer, &table, &image.buffer, &buffers.excess})
      .run(push, groups_of(image, kVector, 1));
}

void Passes::mask(const vulkan::DevicePlane& image, int threshold, const vulkan::DevicePlane& mask) {
  const MaskPush push{.width = width_of(image),
                      .height = height_of(image),
                      .in_stride = stride_of(image),
                      .out_stride = stride_of(mask),
                      .threshold = threshold};
  recorder_.pass(context_.pipeline(shaders::kCambiMask), {&image.buffer, &mask.buffer})
      .run(push, {vulkan::groups_for(image.layout.width, kMaskTileX),
                  vulkan::groups_for(image.layout.height, kMaskTileY)});
}

void Passes::decimate_mask(const vulkan::DevicePlane& in, int times, const vulkan::DevicePlane& out) {
  const DecimatePush push{.width = width_of(out),
                          .height = height_of(out),
                          .in_stride = stride_of(in),
                          .out_stride = stride_of(out),
                          .shift = static_cast<uint>(times)};
  recorder_.pass(context_.pipeline(shaders::kCambiDecimate), {&in.buffer, &out.buffer})
      .run(push, groups_of(out, 4, 1));
}

void Passes::mode_filter(const vulkan::DevicePlane& in, bool halve, const vulkan::DevicePlane& out) {
  const ModeFilterPush push{.width = width_of(out),
                            .height = height_of(out),
                            .in_stride = stride_of(in),
                            .out_stride = stride_of(out)};
  recorder_.pass(context_.pipeline(shaders::kCambiModeFilter, {halve ? 2U : 1U}), {&in.buffer, &out.buffer})
      .run(push, groups_of(out, kVector, kFilterRows));
}

int64_t scale_bytes(const CambiPlan& plan) {
  int64_t total = 0;
  for (const ScalePlan& scale : plan.scales) total += image_and_mask_bytes(scale.width, scale.height);
  return total;
}

int64_t Picture::bytes(const CambiPlan& plan) {
  return image_and_mask_bytes(plan.width, plan.height) + scale_bytes(plan);
}

int64_t Picture::largest_buffer(const CambiPlan& plan) {
  return vulkan::PlaneLayout{plan.width, plan.height, 2}.bytes();
}

Picture::Picture(vulkan::Context& context, const CambiPlan& plan)
    : context_(context),
      plan_(plan),
      whole_image_(context.device(), {plan.width, plan.height, 2}),
      whole_mask_(context.device(), {plan.width, plan.height, 1}),
      preprocess_(context, plan) {
  for (size_t k = 0; k < kScales; ++k) {
    const ScalePlan& scale = plan.scales[k];
    images_[k] = vulkan::DevicePlane(context.device(), {scale.width, scale.height, 2});
    if (k > 0 || plan.halve_first)
      masks_[k] = vulkan::DevicePlane(context.device(), {scale.width, scale.height, 1});
  }
}

const vulkan::DevicePlane& Picture::mask(int scale) const {
  return scale == 0 && !plan_.halve_first ? whole_mask_ : masks_[static_cast<size_t>(scale)];
}

// The masks of all scales come from the whole one, so that they wait for nothing but it; they are made while
// the chain of filters, of which each waits for the one before, leaves the device room.
void Picture::record(vulkan::Recorder& recorder, const vulkan::DevicePlane& luma, bool decimate_masks) {
  Passes passes(recorder, context_);
  recorder.begin_stage("preprocess");
  passes.preprocess(luma, plan_, preprocess_, whole_image_);
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

// The guard behind each plane is the one before the next.
Readback::Readback(const std::shared_ptr<vulkan::Device>& device, const Picture& picture)
    : picture_(picture) {
  int64_t end = static_cast<int64_t>(kRowGuardBytes);
  const auto place = [&end](const vulkan::DevicePlane& plane) {
    const Place result{plane.layout, end};
    end += plane.layout.bytes();
    return result;
  };
  for (int k = 0; k < kScales; ++k) {
    images_[static_cast<size_t>(k)] = place(picture.image(k));
    masks_[static_cast<size_t>(k)] = place(picture.mask(k));
  }
  excess_ = end;
  buffer_ = vulkan::Buffer(device, vulkan::Memory::kReadback, end + 4);
}

void Readback::record(vulkan::Recorder& recorder) const {
  recorder.begin_stage("readback");
  std::vector<vulkan::Copy> copies = {
      {.from = &picture_.excess(), .to = &buffer_, .to_offset = excess_, .bytes = sizeof(uint32_t)}};
  const auto add = [&](const vulkan::DevicePlane& plane, const Place& place) {
    copies.push_back(
        {.from = &plane.buffer, .to = &buffer_, .to_offset = place.offset, .bytes = place.layout.bytes()});
  };
  for (int k = 0; k < kScales; ++k) {
    add(picture_.image(k), images_[static_cast<size_t>(k)]);
    add(picture_.mask(k), masks_[static_cast<size_t>(k)]);
  }
  recorder.copy(copies);
}

bool Readback::has_excess() const {
  uint32_t word = 0;
  std::memcpy(&word, buffer_.mapped() + excess_, sizeof word);
  return word != 0;
}

}  // namespace vq::cambi::gpu
