#include "feature/gather_planes.h"

#include <array>

#include "shaders/common/gather.h"
// Made by the build from shaders/common/gather.comp.
#include "shaders/common_gather.h"
#include "vulkan/limits.h"

namespace vq {
namespace {

using gather::GatherPush;

// Features say which devices they run on; all of those gather planes: every device takes 128 invocations of a
// work group, and 65535 work groups in each direction.
static_assert(gather::kGroupX * gather::kGroupY <= 128);
static_assert(kMaxSide / gather::kGroupX <= 65535 && kMaxSide / gather::kGroupY <= 65535);

}  // namespace

GatherPlanes::GatherPlanes(vulkan::Context& context, int sample_bytes)
    : device_(context.device()->info()),
      pipeline_(context.pipeline(shaders::kCommonGather, {static_cast<uint32_t>(sample_bytes)})),
      sample_bytes_(sample_bytes) {}

bool GatherPlanes::unpacks(const vulkan::PlaneSource& source, const vulkan::DevicePlane& to) const {
  return to.layout.sample_bytes == sample_bytes_ && source.offset % sample_bytes_ == 0 &&
         source.stride % sample_bytes_ == 0 && source.step % sample_bytes_ == 0 &&
         source.buffer->bytes() % 4 == 0 &&
         vulkan::unsupported_buffer_reason(device_, source.buffer->bytes()).empty();
}

void GatherPlanes::record(vulkan::Upload& upload, const vulkan::PlaneSource& source,
                          const vulkan::DevicePlane& to) const {
  using namespace gather;
  const vulkan::PlaneLayout& layout = to.layout;
  const GatherPush push{.width = static_cast<uint>(layout.width),
                        .height = static_cast<uint>(layout.height),
                        .offset = static_cast<uint>(source.offset),
                        .from_stride = static_cast<uint>(source.stride),
                        .step = static_cast<uint>(source.step),
                        .shift = static_cast<uint>(source.shift),
                        .to_stride = static_cast<uint>(layout.stride_bytes() / 16)};
  const int samples = static_cast<int>(kWords) * 4 / sample_bytes_;
  upload.dispatch(pipeline_, {source.buffer, &to.buffer}, std::as_bytes(std::span(&push, 1)),
                  {vulkan::groups_for(layout.width, samples * int64_t{kGroupX}),
                   vulkan::groups_for(layout.height, kGroupY)});
}

}  // namespace vq
