#include "vulkan/picture.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "vulkan/picture_source.h"

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

bool lies_as(const PlaneSource& source, const PlaneLayout& layout) {
  return source.stride == layout.stride_bytes() && source.step == layout.sample_bytes && source.shift == 0;
}

// Of all but what follows the last sample. Needs: lies_as().
Copy whole_copy(const PlaneSource& source, const DevicePlane& plane) {
  const PlaneLayout& layout = plane.layout;
  return {.from = source.buffer,
          .to = &plane.buffer,
          .from_offset = source.offset,
          .bytes = layout.stride_bytes() * (layout.height - 1) + int64_t{layout.width} * layout.sample_bytes};
}

}  // namespace

int64_t PlaneLayout::stride_bytes() const {
  return stored_stride(static_cast<int64_t>(width) * sample_bytes);
}

DevicePicture::DevicePicture(const std::shared_ptr<Device>& device, const VideoFormat& format, int planes)
    : device_(device), count_(count_of(format, planes)) {
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

void DevicePicture::stage(const SampleView& plane, size_t i) {
  if (plane.is_u8()) {
    copy_rows(plane.u8, planes_[i].layout, staging_[i].mapped());
  } else {
    copy_rows(plane.u16, planes_[i].layout, staging_[i].mapped());
  }
}

int64_t DevicePicture::upload(const Frame& frame) {
  int64_t bytes = 0;
  for (size_t i = 0; i < static_cast<size_t>(count_); ++i) {
    stage(frame.planes[i], i);
    bytes += planes_[i].layout.bytes();
  }
  return bytes;
}

std::optional<PlaneSource> DevicePicture::source(const Frame& frame, int i) const {
  const PictureSource* const place = source_of(frame, *device_);
  return place != nullptr ? place->plane(frame, i) : std::nullopt;
}

bool DevicePicture::takes_at_once(const Frame& frame, const PlaneUnpacker* unpacker) const {
  for (int i = 0; i < count_; ++i) {
    const std::optional<PlaneSource> from = source(frame, i);
    if (!from) return false;
    if (!lies_as(*from, plane(i).layout) && (unpacker == nullptr || !unpacker->unpacks(*from, plane(i)))) return false;
  }
  return true;
}

int64_t DevicePicture::upload(const Frame& frame, Upload& upload, const PlaneUnpacker* unpacker) {
  int64_t bytes = 0;
  for (int i = 0; i < count_; ++i) {
    const auto at = static_cast<size_t>(i);
    const std::optional<PlaneSource> from = source(frame, i);
    if (from && lies_as(*from, planes_[at].layout)) {
      upload.copy(whole_copy(*from, planes_[at]));
      upload.keep(frame.place);
    } else if (from && unpacker != nullptr && unpacker->unpacks(*from, planes_[at])) {
      unpacker->record(upload, *from, planes_[at]);
      upload.keep(frame.place);
    } else {
      stage(is_on_host(frame) ? frame.planes[at] : frame.place->planes()[at], at);
      upload.copy({.from = &staging_[at], .to = &planes_[at].buffer, .bytes = staging_[at].bytes()});
    }
    bytes += planes_[at].layout.bytes();
  }
  return bytes;
}

int64_t DevicePicture::bytes(const VideoFormat& format, int planes) {
  int64_t bytes = 0;
  for (int i = 0; i < count_of(format, planes); ++i) bytes += 2 * layout_of(format, i).bytes();
  return bytes;
}

}  // namespace vq::vulkan
