// Frames in the memory of a store, as decoders leave them there.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>

#include "core/error.h"
#include "core/frame_place.h"

namespace vq::test {

template <typename T>
void move_plane(PlaneView<const T>& plane, std::byte* to) {
  const int64_t stride = stored_stride(plane.width * static_cast<int64_t>(sizeof(T)));
  const PlaneView<T> moved{reinterpret_cast<T*>(to), plane.width, plane.height,
                           static_cast<ptrdiff_t>(stride / static_cast<int64_t>(sizeof(T)))};
  for (int y = 0; y < plane.height; ++y) std::copy_n(plane.row(y), plane.width, moved.row(y));
  plane = moved;
}

// The same luma in a piece, `first` bytes behind its beginning, with rows as devices want them and every bit
// set where there is no sample.
inline Frame stored_copy(const Frame& frame, FrameStore& store, int64_t first = 0) {
  Frame copy = frame;
  SampleView& luma = copy.luma();
  const int64_t bytes = first + stored_stride(luma.width() * int64_t{luma.is_u8() ? 1 : 2}) * luma.height();
  const std::shared_ptr<const StoredBytes> piece = store.take(bytes);
  if (piece == nullptr) throw Error(ErrorKind::kBackend, "the store has no memory");
  std::memset(piece->data(), 0xFF, static_cast<size_t>(piece->bytes()));
  if (luma.is_u8()) {
    move_plane(luma.u8, piece->data() + first);
  } else {
    move_plane(luma.u16, piece->data() + first);
  }
  copy.place = piece;
  copy.owner = nullptr;
  return copy;
}

}  // namespace vq::test
