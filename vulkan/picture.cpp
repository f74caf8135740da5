#include "vulkan/picture.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace vq::vulkan {
namespace {

int count_of(const VideoFormat& format, int planes) {
  return std::min(planes, plane_count(format.chroma));
}

PlaneLayout layout_of(const VideoFormat& format, int plane) {
  const PlaneSize size = plane_size({format.width, format.height}, format.chroma, plane);
  return {size.width, size.height, format.bit_depth > 8 ? 2 : 1};
}

template <typename T>
void copy_rows(PlaneView<const T> from, const PlaneLayout& layout, std::byte* to) {
  const size_t bytes = static_cast<size_t>(from.width) * sizeof(T);
  for (int y = 0; y < from.height; ++y) std::memcpy(to + layout.stride_bytes() * y, from.row(y), bytes);
}

}  // namespace

int64_t PlaneLayout::stride_bytes() const {
  return (static_cast<int64_t>(width) * sample_bytes + 63) / 64 * 64 + static_cast<int64_t>(kRowGuardBytes);
}

DevicePicture::DevicePicture(const std::shared_ptr<Device>& device, const VideoFormat& format, int planes)
    : count_(count_of(format, planes)) {
  for (int i = 0; i < count_; ++i) {
    const auto at = static_cast<size_t>(i);
    planes_[at] = DevicePlane(device, layout_of(format, i));
    staging_[at] = Buffer(device, Memory::kUpload, planes_[at].layout.bytes());
  }
}

void DevicePicture::record(Recorder& recorder) const {
  std::vector<Copy> copies;
  for (size_t i = 0; i < static_cast<size_t>(count_); ++i) {
    copies.push_back({.from = &staging_[i], .to = &planes_[i].buffer, .bytes = staging_[i].bytes()});
  }
  recorder.copy(copies);
}

int64_t DevicePicture::upload(const Frame& frame) {
  int64_t bytes = 0;
  for (size_t i = 0; i < static_cast<size_t>(count_); ++i) {
    const SampleView& plane = frame.planes[i];
    const PlaneLayout& layout = planes_[i].layout;
    if (plane.is_u8()) {
      copy_rows(plane.u8, layout, staging_[i].mapped());
    } else {
      copy_rows(plane.u16, layout, staging_[i].mapped());
    }
    bytes += layout.bytes();
  }
  return bytes;
}

int64_t DevicePicture::bytes(const VideoFormat& format, int planes) {
  int64_t bytes = 0;
  for (int i = 0; i < count_of(format, planes); ++i) bytes += 2 * layout_of(format, i).bytes();
  return bytes;
}

}  // namespace vq::vulkan
