#include "feature/motion/motion.h"

#include <hwy/base.h>

#include "feature/device_feature.h"
#include "shaders/motion/shared.h"
// Made by the build from shaders/.
#include "shaders/motion_blurred_difference.h"

namespace vq::motion::gpu {

static_assert(kRadius == kBlur.radius && kTap0 == kBlur.tap(0) && kTap1 == kBlur.tap(1) &&
              kTap2 == kBlur.tap(2));
static_assert(uint64_t{kTileWidth} * kTileHeight * 0x10000 <= UINT32_MAX, "the sum of a tile fits its word");

static vulkan::Groups groups_of(PlaneSize size) {
  return {vulkan::groups_for(size.width, kTileWidth), vulkan::groups_for(size.height, kTileHeight)};
}

static int64_t tile_count(const vulkan::Groups& groups) { return int64_t{groups.x} * groups.y; }

static TileSum tile_sum(const std::byte* sums, int64_t tile) {
  TileSum sum{};
  std::memcpy(&sum, sums + tile * static_cast<int64_t>(sizeof sum), sizeof sum);
  return sum;
}

static const vulkan::Pipeline& pipeline_for(vulkan::Context& context, const Operands& operands) {
  const vulkan::PlaneLayout& now = operands.now.layout;
  HWY_DASSERT(operands.before.layout.width == now.width && operands.before.layout.height == now.height);
  HWY_DASSERT(operands.before.layout.sample_bytes == now.sample_bytes);
  HWY_DASSERT(8 <= operands.bit_depth && operands.bit_depth <= 8 * now.sample_bytes);
  return context.pipeline(shaders::kMotionBlurredDifference, {now.sample_bytes, operands.bit_depth});
}

BlurredDifferencePass::BlurredDifferencePass(vulkan::Context& context, const Operands& operands)
    : operands_(operands),
      groups_(groups_of({operands.now.layout.width, operands.now.layout.height})),
      pipeline_(pipeline_for(context, operands)) {}

int64_t BlurredDifferencePass::sum_bytes() const {
  return tile_count(groups_) * static_cast<int64_t>(sizeof(TileSum));
}

void BlurredDifferencePass::record(vulkan::Recorder& recorder, const vulkan::Buffer& sums) const {
  HWY_DASSERT(sums.bytes() >= sum_bytes());
  const vulkan::PlaneLayout &before = operands_.before.layout, &now = operands_.now.layout;
  const BlurredDifferencePush push{.width = static_cast<uint>(now.width),
                                   .height = static_cast<uint>(now.height),
                                   .stride_before = static_cast<uint>(before.stride_bytes()),
                                   .stride_now = static_cast<uint>(now.stride_bytes())};
  recorder.pass(pipeline_, {&operands_.before.buffer, &operands_.now.buffer, &sums}).run(push, groups_);
}

uint64_t BlurredDifferencePass::difference(const std::byte* sums) const {
  uint64_t total = 0;
  for (int64_t i = 0; i < tile_count(groups_); ++i) total += tile_sum(sums, i).magnitude;
  return total;
}

bool BlurredDifferencePass::has_excess(const std::byte* sums) const {
  uint32_t bits = 0;
  for (int64_t i = 0; i < tile_count(groups_); ++i) bits |= tile_sum(sums, i).bits;
  return bits >> operands_.bit_depth != 0;
}

}  // namespace vq::motion::gpu

namespace vq::motion {
namespace {

// The work of a slot: one pass of blurred_difference and the buffers of its sums. It has no pass if the
// feature is told to compare nothing.
class MotionWork final : public DeviceWork {
 public:
  MotionWork(const MotionPlan& plan, vulkan::Context& context, const DeviceFrame& frame)
      : options_(plan.options), video_(plan.video) {
    if (options_.force_zero) return;
    pass_.emplace(context, operands_of(plan, frame));
    sums_ = vulkan::Buffer(context.device(), vulkan::Memory::kDevice, pass_->sum_bytes());
    readback_ = vulkan::Buffer(context.device(), vulkan::Memory::kReadback, pass_->sum_bytes());
  }

  void record(vulkan::Recorder& recorder) override {
    if (!pass_) return;
    recorder.begin_stage("blurred_difference");
    pass_->record(recorder, sums_);
    recorder.begin_stage("readback");
    recorder.copy(sums_, readback_);
  }

  FrameResult finish(const FramePair& frames) override {
    if (!pass_) return {.values = {0}};
    if (pass_->has_excess(readback_.mapped())) refuse_luma({{frames.reference.value(), video_}});
    if (frames.references_before.size() < static_cast<size_t>(options_.gap())) return {.values = {0}};
    return {.values = {pair_score(options_, difference(), {video_.width, video_.height})}};
  }

  // The differences as they are: those that options clip are equal.
  static void for_check(OptionSet& set) {
    set.resolve("motion_max_val", "10000");
    set.resolve("motion_fps_weight", "1");
  }

  // Valid after what was recorded has run.
  uint64_t difference() const { return pass_->difference(readback_.mapped()); }

 private:
  static gpu::Operands operands_of(const MotionPlan& plan, const DeviceFrame& frame) {
    const auto gap = static_cast<size_t>(plan.options.gap());
    return {frame.references_before[gap - 1]->plane(0), frame.needed_reference().plane(0),
            plan.video.bit_depth};
  }

  const MotionOptions& options_;
  const VideoFormat& video_;
  std::optional<gpu::BlurredDifferencePass> pass_;
  vulkan::Buffer sums_, readback_;
};

}  // namespace

const DeviceSupport kDeviceSupport =
    describe_device<feature_info, Motion, MotionWork, shaders::kMotionBlurredDifference>();

}  // namespace vq::motion
