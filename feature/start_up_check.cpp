#include "feature/start_up_check.h"

#include <chrono>

namespace vq {
namespace {

constexpr std::chrono::seconds kTimeout{60};

VideoFormat small_format(VideoFormat like) {
  like.width = 333;
  like.height = 77;
  return like;
}

template <typename T>
Plane<T> noise(PlaneSize size, int bit_depth, uint32_t& seed) {
  Plane<T> plane(size.width, size.height);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      seed = seed * 1664525 + 1013904223;  // Numerical Recipes
      plane.row(y)[x] = static_cast<T>(seed >> (32 - bit_depth));
    }
  }
  return plane;
}

}  // namespace

CheckPicture::CheckPicture(const vulkan::Context& context, VideoFormat like, int planes, uint32_t seed)
    : format_(small_format(std::move(like))), on_device_(context.device(), format_, planes) {
  frame_.bit_depth = format_.bit_depth;
  for (int i = 0; i < on_device_.count(); ++i) {
    const auto at = static_cast<size_t>(i);
    const PlaneSize size = plane_size(format_, i);
    if (format_.bit_depth > 8) {
      words_[at] = noise<uint16_t>(size, format_.bit_depth, seed);
      frame_.planes[at].u16 = words_[at].view();
    } else {
      bytes_[at] = noise<uint8_t>(size, format_.bit_depth, seed);
      frame_.planes[at].u8 = bytes_[at].view();
    }
  }
}

void run_once(const vulkan::Context& context, std::span<CheckPicture* const> pictures, DeviceWork& work) {
  vulkan::Recorder recorder(context.device());
  for (CheckPicture* const picture : pictures) picture->on_device().record(recorder);
  work.record(recorder);
  vulkan::CommandList list = recorder.finish();
  for (CheckPicture* const picture : pictures) picture->on_device().upload(picture->frame());
  list.submit();
  list.wait(kTimeout);
}

}  // namespace vq
