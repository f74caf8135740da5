// Frames in the memory of a store, as decoders leave them there.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>

#include "core/error.h"
#include "core/frame_memory.h"

namespace vq::test {

template <typename T>
void move_plane(PlaneView<const T>& plane, std::byte* to) {
  const int64_t stride = stored_stride(plane.width * static_cast<int64_t>(sizeof(T)));
  const PlaneView<T> moved{reinterpret_cast<T*>(to), plane.width, plane.height,
                           static_cast<ptrdiff_t>(stride / static_cast<int64_t>(sizeof(T)))};
  for (int y = 0; y < plane.height; ++y) std::copy_n(plane.row(y), plane.width, moved.row(y));
  plane = moved;
}

// What a plane takes there.
inline int64_t stored_bytes(const SampleView& plane) {
  return stored_stride(plane.width() * int64_t{plane.is_u8() ? 1 : 2}) * plane.height();
}

// The same picture in a piece: luma `first` bytes behind its beginning, chroma behind that, with rows as
// devices want them and every bit set where there is no sample.
inline Frame stored_copy(const Frame& frame, FrameStore& store, int64_t first = 0) {
  const auto aligned = [](int64_t bytes) {
    return (bytes + kPlaneAlignment - 1) / kPlaneAlignment * kPlaneAlignment;
  };
  Frame copy = frame;
  int64_t bytes = first;
  for (const SampleView& plane : frame.planes) bytes += plane.empty() ? 0 : aligned(stored_bytes(plane));
  const std::shared_ptr<const HostVisibleMemory> piece = store.take(bytes);
  if (piece == nullptr) throw Error(ErrorKind::kBackend, "the store has no memory");
  std::memset(piece->data(), 0xFF, static_cast<size_t>(piece->bytes()));
  int64_t at = first;
  for (SampleView& plane : copy.planes) {
    if (plane.empty()) continue;
    const int64_t taken = aligned(stored_bytes(plane));
    if (plane.is_u8()) {
      move_plane(plane.u8, piece->data() + at);
    } else {
      move_plane(plane.u16, piece->data() + at);
    }
    at += taken;
  }
  copy.place = piece;
  copy.owner = nullptr;
  return copy;
}

}  // namespace vq::test
