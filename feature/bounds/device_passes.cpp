#include "feature/bounds/device_passes.h"

#include <cstring>

#include "shaders/bounds/shared.h"
// Made by the build from shaders/bounds/.
#include "shaders/bounds_count_lit.h"
#include "shaders/bounds_lit_area.h"
#include "vulkan/limits.h"

namespace vq::bounds::gpu {
namespace {

constexpr vulkan::Shader kCountLit{"bounds_count_lit", kBoundsCountLitSpirv};
constexpr vulkan::Shader kLitArea{"bounds_lit_area", kBoundsLitAreaSpirv};

// Every device takes 65535 work groups in each direction.
static_assert(kMaxSide / kTileWidth <= 65535 && kMaxSide / kTileHeight <= 65535);

}  // namespace

std::string unsupported_by_stages(const vulkan::DeviceInfo& device) {
  return unsupported_reason(device, {kCountLit, kLitArea});
}

LitAreaPasses::LitAreaPasses(vulkan::Context& context, const vulkan::DevicePlane& luma, const LitRule& rule)
    : luma_(luma),
      rule_(rule),
      count_lit_(context.pipeline(kCountLit, {static_cast<uint32_t>(luma.layout.sample_bytes)})),
      lit_area_(context.pipeline(kLitArea)),
      counts_(context.device(), vulkan::Memory::kDevice,
              (int64_t{luma.layout.width} + luma.layout.height) * static_cast<int64_t>(sizeof(uint))),
      area_(context.device(), vulkan::Memory::kDevice, sizeof(Area)),
      readback_(context.device(), vulkan::Memory::kReadback, sizeof(Area)) {}

void LitAreaPasses::record(vulkan::Recorder& recorder) const {
  const uint width = static_cast<uint>(luma_.layout.width), height = static_cast<uint>(luma_.layout.height);
  recorder.begin_stage("count_lit");
  recorder.fill(counts_, 0);
  const CountLitPush count{.width = width,
                           .height = height,
                           .stride = static_cast<uint>(luma_.layout.stride_bytes()),
                           .black = static_cast<uint>(rule_.black)};
  recorder.pass(count_lit_, {&luma_.buffer, &counts_})
      .run(count, {vulkan::groups_for(width, kTileWidth), vulkan::groups_for(height, kTileHeight)});
  recorder.begin_stage("lit_area");
  const LitAreaPush area{.width = width,
                         .height = height,
                         .row_limit = static_cast<uint>(rule_.row_limit),
                         .column_limit = static_cast<uint>(rule_.column_limit)};
  recorder.pass(lit_area_, {&counts_, &area_}).run(area, {});
  recorder.begin_stage("readback");
  recorder.copy(area_, readback_);
}

LitArea LitAreaPasses::area() const {
  Area found{};
  std::memcpy(&found, readback_.mapped(), sizeof(found));
  return {.left = static_cast<int>(found.left),
          .top = static_cast<int>(found.top),
          .right = static_cast<int>(found.right),
          .bottom = static_cast<int>(found.bottom)};
}

}  // namespace vq::bounds::gpu
