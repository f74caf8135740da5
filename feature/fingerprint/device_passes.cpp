#include "feature/fingerprint/device_passes.h"

#include <hwy/base.h>

#include <cstring>

#include "shaders/fingerprint/shared.h"
// Made by the build from shaders/fingerprint/plane_sums.comp.
#include "shaders/fingerprint_plane_sums.h"
#include "vulkan/limits.h"

namespace vq::fingerprint::gpu {
namespace {

constexpr vulkan::Shader kShader{"fingerprint_plane_sums", kFingerprintPlaneSumsSpirv};

constexpr uint kGroupWords = kVector * kGroupX, kGroupHeight = kRows * kGroupY;
constexpr int kWordBytes = sizeof(uint32_t);
// Every device takes 65535 work groups in each direction.
static_assert(kMaxSide / kGroupHeight <= 65535 && kMaxSide / kGroupWords <= 65535);

int row_bytes(const vulkan::PlaneLayout& layout) {
  return layout.width * layout.sample_bytes;
}

}  // namespace

std::string unsupported_by_stage(const vulkan::DeviceInfo& device) {
  return unsupported_reason(device, {kShader});
}

PlaneSumsPass::PlaneSumsPass(vulkan::Context& context, const vulkan::DevicePlane& plane, int number)
    : plane_(plane),
      number_(number),
      words_((row_bytes(plane.layout) + kWordBytes - 1) / kWordBytes),
      groups_{vulkan::groups_for(words_, kGroupWords), vulkan::groups_for(plane.layout.height, kGroupHeight)},
      pipeline_(context.pipeline(kShader, {})) {
  HWY_DASSERT(0 <= number && number < kMaxPlanes);
}

int64_t PlaneSumsPass::sum_bytes() const {
  return group_count() * static_cast<int64_t>(sizeof(LaneSums));
}

void PlaneSumsPass::record(vulkan::Recorder& recorder, const vulkan::Buffer& sums, int64_t offset) const {
  HWY_DASSERT(offset % static_cast<int64_t>(sizeof(LaneSums)) == 0 && offset + sum_bytes() <= sums.bytes());
  const int last_bytes = row_bytes(plane_.layout) - (words_ - 1) * kWordBytes;
  const PlaneSumsPush push{.words = static_cast<uint>(words_),
                           .height = static_cast<uint>(plane_.layout.height),
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
