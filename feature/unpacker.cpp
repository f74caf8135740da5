#include "feature/unpacker.h"

#include <hwy/base.h>

#include "shaders/common/unpack.h"
// Made by the build from shaders/common/unpack.comp.
#include "shaders/common_unpack.h"
#include "vulkan/limits.h"

namespace vq {
namespace {

constexpr vulkan::Shader kShader{"common_unpack", kCommonUnpackSpirv};
constexpr int64_t kVectorBytes = 16;

uint32_t vectors(int64_t bytes) {
  HWY_DASSERT(bytes % kVectorBytes == 0);
  return static_cast<uint32_t>(bytes / kVectorBytes);
}

uint32_t sample_bytes(const VideoFormat& format) {
  return format.bit_depth > 8 ? 2 : 1;
}

}  // namespace

std::string unsupported_by_unpacker(const vulkan::DeviceInfo& device) {
  const uint32_t constants[] = {2, 2};
  return vulkan::unsupported_reason(device, vulkan::needs_of(kShader, constants));
}

Unpacker::Unpacker(vulkan::Context& context, const VideoFormat& format)
    : apart_(context.pipeline(kShader, {sample_bytes(format), 1})),
      interleaved_(context.pipeline(kShader, {sample_bytes(format), 2})) {}

bool Unpacker::fits(const vulkan::SharedPicture& from, const vulkan::DevicePicture& to) {
  if (from.layout().size() < static_cast<size_t>(to.count())) return false;
  for (int i = 0; i < to.count(); ++i) {
    const vulkan::SharedPlane& plane = from.layout()[static_cast<size_t>(i)];
    const vulkan::PlaneLayout& wanted = to.plane(i).layout;
    if (plane.size != PlaneSize{wanted.width, wanted.height} || plane.sample_bytes != wanted.sample_bytes) return false;
  }
  return true;
}

void Unpacker::record(vulkan::Recorder& recorder, const vulkan::SharedPicture& from, const vulkan::DevicePicture& to) const {
  for (int i = 0; i < to.count(); ++i) {
    const vulkan::SharedPlane& plane = from.layout()[static_cast<size_t>(i)];
    const vulkan::DevicePlane& target = to.plane(i);
    const int64_t row_bytes = int64_t{plane.size.width} * plane.sample_bytes;
    const unpack::UnpackPush push{.width = static_cast<uint32_t>(plane.size.width),
                                   .height = static_cast<uint32_t>(plane.size.height),
                                   .first_vector = vectors(plane.offset_bytes),
                                   .from_stride = vectors(plane.stride_bytes),
                                   .to_stride = vectors(target.layout.stride_bytes()),
                                   .first = static_cast<uint32_t>(plane.first),
                                   .shift = static_cast<uint32_t>(plane.shift)};
    recorder.pass(plane.step == 1 ? apart_ : interleaved_, {&from.buffer(), &target.buffer})
        .run(push, {vulkan::groups_for(vulkan::groups_for(row_bytes, kVectorBytes), unpack::kGroupX),
                    vulkan::groups_for(plane.size.height, unpack::kGroupY)});
  }
}

}  // namespace vq
