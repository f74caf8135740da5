// A deep copy of a plane.
#pragma once

#include <algorithm>

#include "core/plane.h"

namespace vq {

// Throws std::bad_alloc.
template <typename T>
Plane<T> copy_plane(const PlaneView<const T>& view) {
  Plane<T> copy(view.width, view.height);
  for (int y = 0; y < copy.height(); ++y) std::copy_n(view.row(y), view.width, copy.row(y));
  return copy;
}

}  // namespace vq
