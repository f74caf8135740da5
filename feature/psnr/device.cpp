#include "feature/psnr/psnr.h"

#include <hwy/base.h>

#include "feature/device_feature.h"
#include "shaders/psnr/shared.h"
// Made by the build from shaders/.
#include "shaders/psnr_squared_error.h"

namespace vq::psnr {

constexpr uint kGroupWidth = kVector * kGroupX, kGroupHeight = kRows * kGroupY;
static_assert(uint64_t{kGroupWidth} * kGroupHeight * 0xFFFF <= UINT32_MAX, "sums of a group fit its words");

static const vulkan::Pipeline& pipeline_for(vulkan::Context& context, const Operand& a, const Operand& b) {
  HWY_DASSERT(a.plane.layout.width == b.plane.layout.width && a.plane.layout.height == b.plane.layout.height);
  HWY_DASSERT(0 <= a.shift && a.shift <= 8 && 0 <= b.shift && b.shift <= 8);
  return context.pipeline(shaders::kPsnrSquaredError,
                          {a.plane.layout.sample_bytes, b.plane.layout.sample_bytes, a.shift, b.shift});
}

SquaredErrorPass::SquaredErrorPass(vulkan::Context& context, const Operand& a, const Operand& b)
    : a_(a.plane),
      b_(b.plane),
      groups_{vulkan::groups_for(a.plane.layout.width, kGroupWidth),
              vulkan::groups_for(a.plane.layout.height, kGroupHeight)},
      pipeline_(pipeline_for(context, a, b)) {}

int64_t SquaredErrorPass::sum_bytes() const { return group_count() * static_cast<int64_t>(sizeof(GroupSum)); }

void SquaredErrorPass::record(vulkan::Recorder& recorder, const vulkan::Buffer& sums, int64_t offset) const {
  HWY_DASSERT(offset % static_cast<int64_t>(sizeof(GroupSum)) == 0 && offset + sum_bytes() <= sums.bytes());
  const SquaredErrorPush push{
      .width = a_.width(),
      .height = a_.height(),
      .stride_a = a_.stride(),
      .stride_b = b_.stride(),
      .first_sum = static_cast<uint>(offset / static_cast<int64_t>(sizeof(GroupSum)))};
  recorder.pass(pipeline_, {&a_.buffer, &b_.buffer, &sums}).run(push, groups_);
}

uint64_t SquaredErrorPass::squared_error(const std::byte* sums) const {
  uint64_t total = 0;
  for (int64_t i = 0; i < group_count(); ++i) {
    GroupSum sum{};
    std::memcpy(&sum, sums + i * static_cast<int64_t>(sizeof(sum)), sizeof(sum));
    total += sum.low + (uint64_t{sum.high} << 16);
  }
  return total;
}

namespace {

// The passes of all planes of a slot, and where their sums go.
class PsnrWork final : public DeviceWork {
 public:
  PsnrWork(const PsnrPlan& plan, vulkan::Context& context, const DeviceFrame& frame) : plan_(plan) {
    int64_t bytes = 0;
    for (int i = 0; i < plan.planes; ++i) {
      passes_.emplace_back(context, Operand{frame.distorted.plane(i), plan.distorted_shift},
                           Operand{frame.needed_reference().plane(i), plan.reference_shift});
      bytes += passes_.back().sum_bytes();
    }
    sums_ = vulkan::Buffer(context.device(), vulkan::Memory::kDevice, bytes);
    readback_ = vulkan::Buffer(context.device(), vulkan::Memory::kReadback, bytes);
  }

  void record(vulkan::Recorder& recorder) override {
    recorder.begin_stage("squared_error");
    int64_t offset = 0;
    for (const SquaredErrorPass& pass : passes_) {
      pass.record(recorder, sums_, offset);
      offset += pass.sum_bytes();
    }
    recorder.begin_stage("readback");
    recorder.copy(sums_, readback_);
  }

  FrameResult finish(const FramePair&) override { return frame_result(plan_, errors()); }

  // Valid after what was recorded has run.
  std::vector<PlaneError> errors() const {
    std::vector<PlaneError> errors;
    const std::byte* sums = readback_.mapped();
    for (size_t i = 0; i < passes_.size(); ++i) {
      const PlaneSize size = plan_.sizes[i];
      errors.push_back({passes_[i].squared_error(sums), int64_t{size.width} * size.height});
      sums += passes_[i].sum_bytes();
    }
    return errors;
  }

 private:
  const PsnrPlan& plan_;
  std::vector<SquaredErrorPass> passes_;
  vulkan::Buffer sums_, readback_;
};

}  // namespace

const DeviceSupport kDeviceSupport =
    describe_device<feature_info, Psnr, PsnrWork, shaders::kPsnrSquaredError>();

}  // namespace vq::psnr
