#include "feature/psnr/device_passes.h"

#include <hwy/base.h>

#include <cstring>

#include "core/frame.h"
#include "shaders/psnr/shared.h"
// Made by the build from shaders/psnr/squared_error.comp.
#include "shaders/psnr_squared_error.h"
#include "vulkan/limits.h"

namespace vq::psnr::gpu {
namespace {

constexpr vulkan::Shader kShader{"psnr_squared_error", kPsnrSquaredErrorSpirv};

constexpr uint kGroupWidth = kVector * kGroupX, kGroupHeight = kRows * kGroupY;
static_assert(uint64_t{kGroupWidth} * kGroupHeight * 0xFFFF <= UINT32_MAX, "sums of a group fit its words");
// Every device takes 65535 work groups in each direction.
static_assert(kMaxSide / kGroupWidth <= 65535 && kMaxSide / kGroupHeight <= 65535);

const vulkan::Pipeline& pipeline_for(vulkan::Context& context, const Operand& a, const Operand& b) {
  HWY_DASSERT(a.plane.layout.width == b.plane.layout.width && a.plane.layout.height == b.plane.layout.height);
  HWY_DASSERT(0 <= a.shift && a.shift <= 8 && 0 <= b.shift && b.shift <= 8);
  return context.pipeline(kShader, {static_cast<uint32_t>(a.plane.layout.sample_bytes),
                                    static_cast<uint32_t>(b.plane.layout.sample_bytes),
                                    static_cast<uint32_t>(a.shift), static_cast<uint32_t>(b.shift)});
}

}  // namespace

std::string unsupported_by_stage(const vulkan::DeviceInfo& device) {
  return unsupported_reason(device, {kShader});
}

SquaredErrorPass::SquaredErrorPass(vulkan::Context& context, const Operand& a, const Operand& b)
    : a_(a.plane),
      b_(b.plane),
      groups_{vulkan::groups_for(a.plane.layout.width, kGroupWidth),
              vulkan::groups_for(a.plane.layout.height, kGroupHeight)},
      pipeline_(pipeline_for(context, a, b)) {}

int64_t SquaredErrorPass::sum_bytes() const {
  return group_count() * static_cast<int64_t>(sizeof(GroupSum));
}

void SquaredErrorPass::record(vulkan::Recorder& recorder, const vulkan::Buffer& sums, int64_t offset) const {
  HWY_DASSERT(offset % static_cast<int64_t>(sizeof(GroupSum)) == 0 && offset + sum_bytes() <= sums.bytes());
  const SquaredErrorPush push{.width = static_cast<uint>(a_.layout.width),
                              .height = static_cast<uint>(a_.layout.height),
                              .stride_a = static_cast<uint>(a_.layout.stride_bytes()),
                              .stride_b = static_cast<uint>(b_.layout.stride_bytes()),
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

}  // namespace vq::psnr::gpu
