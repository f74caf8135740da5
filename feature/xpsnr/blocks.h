// The blocks into which XPSNR cuts a picture.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/frame.h"

namespace vq::xpsnr {

// Samples from `start` up to `end` along one axis; none if that is not more.
struct Span {
  int start = 0, end = 0;
  int length() const { return end - start; }
};

// A plane in blocks, in raster order. Those of the last column and row end with the plane. All planes of a
// picture have as many blocks; of a plane that is too small for them, the last ones are empty.
struct Grid {
  PlaneSize plane, block;
  int columns = 0, rows = 0;

  size_t count() const { return static_cast<size_t>(columns) * static_cast<size_t>(rows); }
  Span column(int i) const { return cut(i, block.width, plane.width); }
  Span row(int i) const { return cut(i, block.height, plane.height); }

 private:
  static Span cut(int i, int side, int size) {
    return {std::min(i * side, size), std::min((i + 1) * side, size)};
  }
};

// What the spatial activity of a block takes of it along one axis of `size` samples: all but the outermost
// `edge` of the picture.
inline Span without_edge(Span block, int size, int edge) {
  return {block.start == 0 ? edge : block.start, block.end < size ? block.end : size - edge};
}

// Two sums of a block, of the reference's luma o and those of the frames before it. In large pictures every
// value is one of a cell of 2x2 samples, otherwise one of a sample.
struct Activity {
  // Of |f|, where f is a high-pass filter of o, without the picture's edge.
  uint64_t spatial = 0;
  // Of |t|, where t is the change of o, or the change of that change.
  uint64_t temporal = 0;
  bool operator==(const Activity&) const = default;
};

// How the activity of blocks is measured.
struct ActivityForm {
  Grid grid;                     // of luma
  bool in_cells = false;         // a large picture
  bool is_second_order = false;  // t is the change of the change
  int edge() const { return in_cells ? 2 : 1; }
  int step() const { return in_cells ? 2 : 1; }  // from one f to the next
  // Of the frames before, how many t takes.
  int frames_before() const { return is_second_order ? 2 : 1; }
};

}  // namespace vq::xpsnr
