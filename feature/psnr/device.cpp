#include "feature/psnr/psnr.h"

#include "feature/device_feature.h"
#include "shaders/psnr/shared.h"
#include "shaders/psnr_squared_error.h"

namespace vq::psnr {

constexpr uint kGroupWidth = kVector * kGroupX, kGroupHeight = kRows * kGroupY;
static_assert(uint64_t{kGroupWidth} * kGroupHeight * 0xFFFF <= UINT32_MAX, "sums of a group fit its words");

static const vulkan::Pipeline& pipeline_for(vulkan::Context& context, const Operand& a, const Operand& b) {
  HWY_DASSERT(a.plane.layout.size() == b.plane.layout.size());
  HWY_DASSERT(0 <= a.shift && a.shift <= 8 && 0 <= b.shift && b.shift <= 8);
  return context.pipeline(shaders::kPsnrSquaredError,
                          {a.plane.layout.sample_bytes, b.plane.layout.sample_bytes, a.shift, b.shift});
}

SquaredErrorPass::SquaredErrorPass(vulkan::Context& context, const Operand& a, const Operand& b,
                                   vulkan::Results& sums)
    : a_(a.plane),
      b_(b.plane),
      groups_(vulkan::groups_for(a.plane.layout.size(), kGroupWidth, kGroupHeight)),
      pipeline_(pipeline_for(context, a, b)),
      sums_(sums.add(groups_.count(), sizeof(GroupSum))) {}

void SquaredErrorPass::record(vulkan::Recorder& recorder) const {
  const SquaredErrorPush push{.width = a_.width(),
                              .height = a_.height(),
                              .stride_a = a_.stride(),
                              .stride_b = b_.stride(),
                              .first_sum = sums_.first()};
  recorder.pass(pipeline_, {&a_.buffer, &b_.buffer, &sums_.buffer()}).run(push, groups_);
}

uint64_t SquaredErrorPass::squared_error() const {
  uint64_t total = 0;
  for (const GroupSum& sum : sums_.records<GroupSum>()) total += sum.low + (uint64_t{sum.high} << 16);
  return total;
}

namespace {

// The passes of all planes of a slot.
class PsnrWork final : public DeviceWork {
 public:
  PsnrWork(const PsnrPlan& plan, vulkan::Context& context, const DeviceFrame& frame) : plan_(plan) {
    for (int i = 0; i < plan.planes; ++i) {
      passes_.emplace_back(context, Operand{frame.distorted.plane(i), plan.distorted_shift},
                           Operand{frame.needed_reference().plane(i), plan.reference_shift}, sums_);
    }
    sums_.make(context.device());
  }

  void record(vulkan::Recorder& recorder) override {
    recorder.begin_stage("squared_error");
    for (const SquaredErrorPass& pass : passes_) pass.record(recorder);
    recorder.begin_stage(kReadbackStage);
    sums_.read_back(recorder);
  }

  FrameResult finish(const FramePair&) override {
    std::vector<PlaneError> errors;
    for (size_t i = 0; i < passes_.size(); ++i) {
      const PlaneSize size = plan_.sizes[i];
      errors.push_back({passes_[i].squared_error(), int64_t{size.width} * size.height});
    }
    return frame_result(plan_, errors);
  }

 private:
  const PsnrPlan& plan_;
  vulkan::Results sums_;
  std::vector<SquaredErrorPass> passes_;
};

}  // namespace

const DeviceSupport kDeviceSupport =
    describe_device<feature_info, Psnr, PsnrWork, shaders::kPsnrSquaredError>();

}  // namespace vq::psnr
