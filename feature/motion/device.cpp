#include "feature/motion/motion.h"

#include "feature/device_feature.h"
#include "shaders/motion/shared.h"
#include "shaders/motion_blurred_difference.h"

namespace vq::motion::gpu {

static_assert(kRadius == kBlur.radius && kTap0 == kBlur.tap(0) && kTap1 == kBlur.tap(1) &&
              kTap2 == kBlur.tap(2));
static_assert(uint64_t{kTileWidth} * kTileHeight * 0x10000 <= UINT32_MAX, "the sum of a tile fits its word");

static const vulkan::Pipeline& pipeline_for(vulkan::Context& context, const Operands& operands) {
  const vulkan::PlaneLayout& now = operands.now.layout;
  HWY_DASSERT(operands.before.layout.size() == now.size());
  HWY_DASSERT(operands.before.layout.sample_bytes == now.sample_bytes);
  HWY_DASSERT(8 <= operands.bit_depth && operands.bit_depth <= 8 * now.sample_bytes);
  return context.pipeline(shaders::kMotionBlurredDifference, {now.sample_bytes, operands.bit_depth});
}

BlurredDifferencePass::BlurredDifferencePass(vulkan::Context& context, const Operands& operands,
                                             vulkan::Results& sums)
    : operands_(operands),
      groups_(vulkan::groups_for(operands.now.layout.size(), kTileWidth, kTileHeight)),
      pipeline_(pipeline_for(context, operands)),
      sums_(sums.add(groups_.count(), sizeof(TileSum))) {}

void BlurredDifferencePass::record(vulkan::Recorder& recorder) const {
  const vulkan::DevicePlane &before = operands_.before, &now = operands_.now;
  const BlurredDifferencePush push{.width = now.width(),
                                   .height = now.height(),
                                   .stride_before = before.stride(),
                                   .stride_now = now.stride()};
  recorder.pass(pipeline_, {&before.buffer, &now.buffer, &sums_.buffer()}).run(push, groups_);
}

uint64_t BlurredDifferencePass::difference() const {
  uint64_t total = 0;
  for (const TileSum& sum : sums_.records<TileSum>()) total += sum.magnitude;
  return total;
}

bool BlurredDifferencePass::has_excess() const {
  uint32_t bits = 0;
  for (const TileSum& sum : sums_.records<TileSum>()) bits |= sum.bits;
  return bits >> operands_.bit_depth != 0;
}

}  // namespace vq::motion::gpu

namespace vq::motion {
namespace {

// Runs blurred_difference once for each frame of a slot; never if the feature is told to compare nothing.
class MotionWork final : public DeviceWork {
 public:
  MotionWork(const MotionPlan& plan, vulkan::Context& context, const DeviceFrame& frame)
      : options_(plan.options), video_(plan.video) {
    if (options_.force_zero) return;
    pass_.emplace(context, operands_of(plan, frame), sums_);
    sums_.make(context.device());
  }

  void record(vulkan::Recorder& recorder) override {
    if (!pass_) return;
    recorder.begin_stage("blurred_difference");
    pass_->record(recorder);
    recorder.begin_stage(kReadbackStage);
    sums_.read_back(recorder);
  }

  FrameResult finish(const FramePair& frames) override {
    if (!pass_) return {.values = {0}};
    if (pass_->has_excess()) refuse_luma({{frames.reference.value(), video_}});
    if (frames.references_before.size() < static_cast<size_t>(options_.gap())) return {.values = {0}};
    return {.values = {pair_score(options_, pass_->difference(), {video_.width, video_.height})}};
  }

  // The differences as they are: those that options clip are equal.
  static void for_check(OptionSet& set) {
    set.resolve("motion_max_val", "10000");
    set.resolve("motion_fps_weight", "1");
  }

 private:
  static gpu::Operands operands_of(const MotionPlan& plan, const DeviceFrame& frame) {
    const auto gap = static_cast<size_t>(plan.options.gap());
    return {frame.references_before[gap - 1]->plane(0), frame.needed_reference().plane(0),
            plan.video.bit_depth};
  }

  const MotionOptions& options_;
  const VideoFormat& video_;
  vulkan::Results sums_;
  std::optional<gpu::BlurredDifferencePass> pass_;
};

}  // namespace

const DeviceSupport kDeviceSupport =
    describe_device<feature_info, Motion, MotionWork, shaders::kMotionBlurredDifference>();

}  // namespace vq::motion
