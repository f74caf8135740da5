#include "vulkan/picture.h"

#include "vulkan/device_impl.h"
#include "vulkan/shared_picture.h"

namespace vq::vulkan {

static int count_of(const VideoFormat& format, int planes) {
  return std::min(planes, plane_count(format.chroma));
}

static PlaneLayout layout_of(const VideoFormat& format, int plane) {
  const PlaneSize size = plane_size(format, plane);
  return {size.width, size.height, format.bit_depth > 8 ? 2 : 1};
}

template <typename T>
static void copy_rows(PlaneView<const T> from, const PlaneLayout& layout, std::byte* to) {
  const size_t bytes = static_cast<size_t>(from.width) * sizeof(T);
  for (int y = 0; y < from.height; ++y) std::memcpy(to + layout.stride_bytes() * y, from.row(y), bytes);
}

static bool lies_as(const PlaneSource& source, const PlaneLayout& layout) {
  return source.stride == layout.stride_bytes() && source.step == layout.sample_bytes && source.shift == 0;
}

// A copy of everything up to the last sample. Needs: lies_as().
static Copy whole_copy(const PlaneSource& source, const DevicePlane& plane) {
  const PlaneLayout& layout = plane.layout;
  return {.from = source.buffer,
          .to = &plane.buffer,
          .from_offset = source.offset,
          .bytes = layout.stride_bytes() * (layout.height - 1) + int64_t{layout.width} * layout.sample_bytes};
}

int64_t PlaneLayout::stride_bytes() const {
  return stride != 0 ? stride : stored_stride(static_cast<int64_t>(width) * sample_bytes);
}

PlaneView<const float> float_plane(const Buffer& buffer, const PlaneLayout& layout) {
  return {reinterpret_cast<const float*>(buffer.mapped()), layout.width, layout.height,
          static_cast<ptrdiff_t>(layout.stride_bytes() / static_cast<int64_t>(sizeof(float)))};
}

DevicePicture::DevicePicture(const std::shared_ptr<Device>& device, const VideoFormat& format, int planes,
                             bool has_memory)
    : device_(device), count_(count_of(format, planes)) {
  for (int i = 0; i < count_; ++i) {
    DevicePlane& plane = planes_[static_cast<size_t>(i)];
    plane.layout = layout_of(format, i);
    if (has_memory) plane = DevicePlane(device, plane.layout);
  }
}

// Made when it is first needed: pictures of decoders on the device never are copied by the host.
const Buffer& DevicePicture::staging(size_t i) {
  if (staging_[i].bytes() == 0) staging_[i] = Buffer(device_, Memory::kUpload, planes_[i].layout.bytes());
  return staging_[i];
}

void DevicePicture::prepare_to_stage() {
  for (size_t i = 0; i < static_cast<size_t>(count_); ++i) staging(i);
}

void DevicePicture::record(Recorder& recorder) {
  std::vector<Copy> copies;
  for (size_t i = 0; i < static_cast<size_t>(count_); ++i) {
    const Buffer& from = staging(i);
    copies.push_back({.from = &from, .to = &planes_[i].buffer, .bytes = from.bytes()});
  }
  recorder.copy(copies);
}

void DevicePicture::stage(const SampleView& plane, size_t i) {
  const Device::Impl::NeededDriverUse use(device_->impl(), "copying a picture");
  std::byte* const to = staging(i).mapped();
  if (plane.is_u8()) {
    copy_rows(plane.u8, planes_[i].layout, to);
  } else {
    copy_rows(plane.u16, planes_[i].layout, to);
  }
}

int64_t DevicePicture::upload(const Frame& frame) {
  int64_t bytes = 0;
  for (size_t i = 0; i < static_cast<size_t>(count_); ++i) {
    stage(frame.planes[i], i);
    bytes += staging_[i].bytes();
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
    if (!lies_as(*from, plane(i).layout) && (unpacker == nullptr || !unpacker->unpacks(*from, plane(i))))
      return false;
  }
  return true;
}

int64_t DevicePicture::upload(const Frame& frame, Upload& upload, const PlaneUnpacker* unpacker) {
  int64_t bytes = 0;
  for (int i = 0; i < count_; ++i) {
    const auto at = static_cast<size_t>(i);
    const std::optional<PlaneSource> from = source(frame, i);
    const PlaneLayout& layout = planes_[at].layout;
    const bool is_of_host = !from || from->buffer->memory() != Memory::kShared;
    if (from && lies_as(*from, layout)) {
      const Copy copy = whole_copy(*from, planes_[at]);
      if (is_of_host) bytes += copy.bytes;
      upload.copy(copy);
      upload.keep(frame.place);
    } else if (from && unpacker != nullptr && unpacker->unpacks(*from, planes_[at])) {
      if (is_of_host) bytes += int64_t{layout.width} * layout.height * layout.sample_bytes;
      unpacker->record(upload, *from, planes_[at]);
      upload.keep(frame.place);
    } else {
      stage(is_on_host(frame) ? frame.planes[at] : frame.place->planes()[at], at);
      bytes += staging_[at].bytes();
      upload.copy({.from = &staging_[at], .to = &planes_[at].buffer, .bytes = staging_[at].bytes()});
    }
  }
  return bytes;
}

// Bytes of a plane that shaders may read, including some after the last row.
static int64_t read_bytes(const PlaneSource& source, const PlaneLayout& layout) {
  return source.stride * (layout.height - 1) + stored_stride(int64_t{layout.width} * layout.sample_bytes);
}

// Rows begin at multiples of 16 bytes.
static bool suits_shaders(const PlaneSource& source, const PlaneLayout& layout, const DeviceInfo& device) {
  return source.step == layout.sample_bytes && source.shift == 0 && source.offset % kPlaneAlignment == 0 &&
         source.stride % 16 == 0 && source.stride >= int64_t{layout.width} * layout.sample_bytes &&
         read_bytes(source, layout) <=
             std::min(source.buffer->bytes() - source.offset, device.max_buffer_bytes);
}

std::optional<ReadLocation> DevicePicture::readable_place(const Frame& frame) const {
  ReadLocation places;
  for (int i = 0; i < count_; ++i) {
    const std::optional<PlaneSource> from = source(frame, i);
    if (!from || !from->is_near || !suits_shaders(*from, plane(i).layout, device_->info()))
      return std::nullopt;
    places.push_back({from->buffer->impl().get(), from->offset, from->stride});
  }
  return places;
}

void DevicePicture::read_from(const Frame* frame) {
  for (int i = 0; i < count_; ++i) {
    const auto at = static_cast<size_t>(i);
    DevicePlane& plane = planes_[at];
    if (is_elsewhere_) plane.buffer = std::exchange(own_[at], {});
    plane.layout.stride = 0;
    if (frame == nullptr) continue;
    const PlaneSource from = source(*frame, i).value();
    own_[at] = std::exchange(plane.buffer, from.buffer->part(from.offset, read_bytes(from, plane.layout)));
    plane.layout.stride = from.stride;
  }
  is_elsewhere_ = frame != nullptr;
  derived_ = {};
}

void DevicePicture::read_from(const DevicePicture& other) {
  read_from(nullptr);
  for (size_t i = 0; i < static_cast<size_t>(count_); ++i) {
    const Buffer& buffer = other.planes_[i].buffer;
    own_[i] = std::exchange(planes_[i].buffer, buffer.part(0, buffer.bytes()));
  }
  is_elsewhere_ = true;
  if (const Buffer* const derived = other.derived()) derived_ = derived->part(0, derived->bytes());
}

ReadLocation DevicePicture::place() const {
  ReadLocation places;
  for (int i = 0; i < count_; ++i) {
    const Buffer& buffer = plane(i).buffer;
    places.push_back({buffer.impl().get(), buffer.offset(), plane(i).layout.stride_bytes()});
  }
  return places;
}

int64_t DevicePicture::bytes(const VideoFormat& format, int planes) {
  int64_t bytes = 0;
  for (int i = 0; i < count_of(format, planes); ++i) bytes += 2 * layout_of(format, i).bytes();
  return bytes;
}

}  // namespace vq::vulkan
