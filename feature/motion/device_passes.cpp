#include "feature/motion/device_passes.h"

#include <hwy/base.h>

#include <cstring>

#include "core/frame.h"
#include "feature/motion/stages.h"
#include "shaders/motion/shared.h"
// Made by the build from shaders/motion/blurred_difference.comp.
#include "shaders/motion_blurred_difference.h"
#include "vulkan/limits.h"

namespace vq::motion::gpu {
namespace {

constexpr vulkan::Shader kShader{"motion_blurred_difference", kMotionBlurredDifferenceSpirv};

static_assert(kRadius == kBlur.radius && kTap0 == kBlur.tap(0) && kTap1 == kBlur.tap(1) && kTap2 == kBlur.tap(2));
static_assert(uint64_t{kTileWidth} * kTileHeight * 0x10000 <= UINT32_MAX, "the sum of a tile fits its word");
// Every device takes 65535 work groups in each direction.
static_assert(kMaxSide / kTileWidth < 65535 && kMaxSide / kTileHeight < 65535);

vulkan::Groups groups_of(PlaneSize size) {
  return {vulkan::groups_for(size.width, kTileWidth), vulkan::groups_for(size.height, kTileHeight)};
}

int64_t tile_count(const vulkan::Groups& groups) {
  return int64_t{groups.x} * groups.y;
}

TileSum tile_sum(const std::byte* sums, int64_t tile) {
  TileSum sum{};
  std::memcpy(&sum, sums + tile * static_cast<int64_t>(sizeof sum), sizeof sum);
  return sum;
}

const vulkan::Pipeline& pipeline_for(vulkan::Context& context, const Operands& operands) {
  const vulkan::PlaneLayout& now = operands.now.layout;
  HWY_DASSERT(operands.before.layout.width == now.width && operands.before.layout.height == now.height);
  HWY_DASSERT(operands.before.layout.sample_bytes == now.sample_bytes);
  HWY_DASSERT(8 <= operands.bit_depth && operands.bit_depth <= 8 * now.sample_bytes);
  return context.pipeline(kShader, {static_cast<uint32_t>(now.sample_bytes), static_cast<uint32_t>(operands.bit_depth)});
}

}  // namespace

std::string unsupported_by_stage(const vulkan::DeviceInfo& device) {
  return unsupported_reason(device, {kShader});
}

BlurredDifferencePass::BlurredDifferencePass(vulkan::Context& context, const Operands& operands)
    : operands_(operands),
      groups_(groups_of({operands.now.layout.width, operands.now.layout.height})),
      pipeline_(pipeline_for(context, operands)) {}

int64_t BlurredDifferencePass::sum_bytes() const {
  return tile_count(groups_) * static_cast<int64_t>(sizeof(TileSum));
}

int64_t BlurredDifferencePass::sum_bytes(PlaneSize size) {
  return tile_count(groups_of(size)) * static_cast<int64_t>(sizeof(TileSum));
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
