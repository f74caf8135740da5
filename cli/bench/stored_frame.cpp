#include "cli/bench/stored_frame.h"

#include <algorithm>

namespace vq::cli {
namespace {

int64_t stride_of(const SampleView& plane) {
  return stored_stride(plane.width() * int64_t{plane.is_u8() ? 1 : 2});
}

int64_t bytes_of(const SampleView& plane) {
  const int64_t bytes = stride_of(plane) * plane.height();
  return (bytes + kPlaneAlignment - 1) / kPlaneAlignment * kPlaneAlignment;
}

template <typename T>
void move_plane(PlaneView<const T>& plane, int64_t stride, std::byte* to) {
  const PlaneView<T> moved{reinterpret_cast<T*>(to), plane.width, plane.height,
                           static_cast<ptrdiff_t>(stride / static_cast<int64_t>(sizeof(T)))};
  for (int y = 0; y < plane.height; ++y) std::copy_n(plane.row(y), plane.width, moved.row(y));
  plane = moved;
}

}  // namespace

Frame stored_frame(const Frame& frame, FrameStore& store) {
  if (frame.place) return frame;
  int64_t bytes = 0;
  for (const SampleView& plane : frame.planes) bytes += bytes_of(plane);
  const std::shared_ptr<const StoredBytes> piece = store.take(bytes);
  if (!piece) return frame;
  Frame stored = frame;
  std::byte* to = piece->data();
  for (SampleView& plane : stored.planes) {
    if (plane.empty()) continue;
    const int64_t stride = stride_of(plane), size = bytes_of(plane);
    plane.is_u8() ? move_plane(plane.u8, stride, to) : move_plane(plane.u16, stride, to);
    to += size;
  }
  stored.place = piece;
  stored.owner = nullptr;
  return stored;
}

}  // namespace vq::cli
