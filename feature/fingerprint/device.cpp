#include "feature/fingerprint/fingerprint.h"

#include <hwy/base.h>

#include "feature/device_feature.h"
#include "shaders/fingerprint/shared.h"
// Made by the build from shaders/.
#include "shaders/fingerprint_plane_sums.h"

namespace vq::fingerprint::gpu {

constexpr uint kGroupWords = kVector * kGroupX, kGroupHeight = kRows * kGroupY;
constexpr int kWordBytes = sizeof(uint32_t);

static int row_bytes(const vulkan::PlaneLayout& layout) { return layout.width * layout.sample_bytes; }

PlaneSumsPass::PlaneSumsPass(vulkan::Context& context, const vulkan::DevicePlane& plane, int number)
    : plane_(plane),
      number_(number),
      words_((row_bytes(plane.layout) + kWordBytes - 1) / kWordBytes),
      groups_{vulkan::groups_for(words_, kGroupWords), vulkan::groups_for(plane.layout.height, kGroupHeight)},
      pipeline_(context.pipeline(shaders::kFingerprintPlaneSums, {})) {
  HWY_DASSERT(0 <= number && number < kMaxPlanes);
}

int64_t PlaneSumsPass::sum_bytes() const { return group_count() * static_cast<int64_t>(sizeof(LaneSums)); }

void PlaneSumsPass::record(vulkan::Recorder& recorder, const vulkan::Buffer& sums, int64_t offset) const {
  HWY_DASSERT(offset % static_cast<int64_t>(sizeof(LaneSums)) == 0 && offset + sum_bytes() <= sums.bytes());
  const int last_bytes = row_bytes(plane_.layout) - (words_ - 1) * kWordBytes;
  const PlaneSumsPush push{.words = static_cast<uint>(words_),
                           .height = plane_.height(),
                           .stride = static_cast<uint>(plane_.layout.stride_bytes() / (kVector * kWordBytes)),
                           .plane = static_cast<uint>(number_),
                           .last_mask = UINT32_MAX >> (32 - 8 * last_bytes),
                           .first_sum = static_cast<uint>(offset / static_cast<int64_t>(sizeof(LaneSums)))};
  recorder.pass(pipeline_, {&plane_.buffer, &sums}).run(push, groups_);
}

LaneSums PlaneSumsPass::plane_sums(const std::byte* sums) const {
  LaneSums total{};
  for (int64_t i = 0; i < group_count(); ++i) {
    LaneSums group;
    std::memcpy(group.data(), sums + i * static_cast<int64_t>(sizeof(group)), sizeof(group));
    total = total + group;
  }
  return total;
}

}  // namespace vq::fingerprint::gpu

namespace vq::fingerprint {
namespace {

// The passes of all planes of a slot, and where their sums go.
class FingerprintWork final : public DeviceWork {
 public:
  FingerprintWork(const FingerprintPlan& plan, vulkan::Context& context, const DeviceFrame& frame)
      : plan_(plan) {
    int64_t bytes = 0;
    for (int i = 0; i < plan.planes; ++i) {
      passes_.emplace_back(context, frame.distorted.plane(i), i);
      bytes += passes_.back().sum_bytes();
    }
    sums_ = vulkan::Buffer(context.device(), vulkan::Memory::kDevice, bytes);
    readback_ = vulkan::Buffer(context.device(), vulkan::Memory::kReadback, bytes);
  }

  void record(vulkan::Recorder& recorder) override {
    recorder.begin_stage("plane_sums");
    int64_t offset = 0;
    for (const gpu::PlaneSumsPass& pass : passes_) {
      pass.record(recorder, sums_, offset);
      offset += pass.sum_bytes();
    }
    recorder.begin_stage("readback");
    recorder.copy(sums_, readback_);
  }

  FrameResult finish(const FramePair&) override { return frame_result(plan_, plane_sums()); }

 private:
  // Valid after what was recorded has run.
  std::vector<LaneSums> plane_sums() const {
    std::vector<LaneSums> planes;
    const std::byte* sums = readback_.mapped();
    for (const gpu::PlaneSumsPass& pass : passes_) {
      planes.push_back(pass.plane_sums(sums));
      sums += pass.sum_bytes();
    }
    return planes;
  }

  const FingerprintPlan& plan_;
  std::vector<gpu::PlaneSumsPass> passes_;
  vulkan::Buffer sums_, readback_;
};

}  // namespace

const DeviceSupport kDeviceSupport =
    describe_device<feature_info, Fingerprint, FingerprintWork, shaders::kFingerprintPlaneSums>();

}  // namespace vq::fingerprint
