#include "feature/fingerprint/fingerprint.h"

#include "feature/device_feature.h"
#include "shaders/fingerprint/shared.h"
#include "shaders/fingerprint_plane_sums.h"

namespace vq::fingerprint::gpu {

constexpr uint kGroupWords = kVector * kGroupX, kGroupHeight = kRows * kGroupY;
constexpr int kWordBytes = sizeof(uint32_t);

static int row_bytes(const vulkan::PlaneLayout& layout) { return layout.width * layout.sample_bytes; }

PlaneSumsPass::PlaneSumsPass(vulkan::Context& context, const vulkan::DevicePlane& plane, int number,
                             vulkan::Results& sums)
    : plane_(plane),
      number_(number),
      words_((row_bytes(plane.layout) + kWordBytes - 1) / kWordBytes),
      groups_(vulkan::groups_for({words_, plane.layout.height}, kGroupWords, kGroupHeight)),
      pipeline_(context.pipeline(shaders::kFingerprintPlaneSums, {})),
      sums_(sums.add(groups_.count(), sizeof(LaneSums))) {
  HWY_DASSERT(0 <= number && number < kMaxPlanes);
}

void PlaneSumsPass::record(vulkan::Recorder& recorder) const {
  const int last_bytes = row_bytes(plane_.layout) - (words_ - 1) * kWordBytes;
  const PlaneSumsPush push{.words = static_cast<uint>(words_),
                           .height = plane_.height(),
                           .stride = static_cast<uint>(plane_.layout.stride_bytes() / (kVector * kWordBytes)),
                           .plane = static_cast<uint>(number_),
                           .last_mask = UINT32_MAX >> (32 - 8 * last_bytes),
                           .first_sum = sums_.first()};
  recorder.pass(pipeline_, {&plane_.buffer, &sums_.buffer()}).run(push, groups_);
}

LaneSums PlaneSumsPass::plane_sums() const {
  LaneSums total{};
  for (const LaneSums& group : sums_.records<LaneSums>()) total = total + group;
  return total;
}

}  // namespace vq::fingerprint::gpu

namespace vq::fingerprint {
namespace {

// The passes of all planes of a slot.
class FingerprintWork final : public DeviceWork {
 public:
  FingerprintWork(const FingerprintPlan& plan, vulkan::Context& context, const DeviceFrame& frame)
      : plan_(plan) {
    for (int i = 0; i < plan.planes; ++i) passes_.emplace_back(context, frame.distorted.plane(i), i, sums_);
    sums_.make(context.device());
  }

  void record(vulkan::Recorder& recorder) override {
    recorder.begin_stage("plane_sums");
    for (const gpu::PlaneSumsPass& pass : passes_) pass.record(recorder);
    recorder.begin_stage(kReadbackStage);
    sums_.read_back(recorder);
  }

  FrameResult finish(const FramePair&) override {
    std::vector<LaneSums> planes = mapped(passes_, &gpu::PlaneSumsPass::plane_sums);
    return frame_result(plan_, planes);
  }

 private:
  const FingerprintPlan& plan_;
  vulkan::Results sums_;
  std::vector<gpu::PlaneSumsPass> passes_;
};

}  // namespace

const DeviceSupport kDeviceSupport =
    describe_device<feature_info, Fingerprint, FingerprintWork, shaders::kFingerprintPlaneSums>();

}  // namespace vq::fingerprint
