#include <algorithm>

#include "feature/ciede/ciede.h"

namespace vq::ciede {
namespace {

// Where chroma was rounded down, its last sample is also that of the column behind.
template <typename T>
void spread_row(PlaneView<const T> in, int shift, int chroma_shift, PlaneView<uint16_t> out) {
  const auto shifted = [&](int i) { return static_cast<uint16_t>(in.data[i] << shift); };
  uint16_t* const to = out.data;
  if (chroma_shift == 0) {
    for (int x = 0; x < out.width; ++x) to[x] = shifted(x);
    return;
  }
  const int last = in.width - 1;
  if (chroma_shift == 1) {
    for (int x = 0; x + 1 < out.width; x += 2) to[x] = to[x + 1] = shifted(x / 2);
    if (out.width % 2 != 0) to[out.width - 1] = shifted(std::min(out.width / 2, last));
    return;
  }
  for (int x = 0; x < out.width; ++x) to[x] = shifted(std::min(x >> chroma_shift, last));
}

// Row `y` of the luma as chroma has it: likewise.
template <typename T>
PlaneView<const T> row_of(PlaneView<const T> plane, int y, int chroma_shift) {
  return {plane.row(std::min(y >> chroma_shift, plane.height - 1)), plane.width, 1, plane.stride};
}

}  // namespace

void SpreadRows::fill(const Frame& frame, const Spread& spread, int y) {
  for (int i = 0; i < kMaxPlanes; ++i) {
    const SampleView& plane = frame.planes[static_cast<size_t>(i)];
    const ChromaShifts shifts = i == 0 ? ChromaShifts{} : spread.chroma;
    const PlaneView<uint16_t> out = {samples_.row(i), samples_.width(), 1, 0};
    if (plane.is_u8()) {
      spread_row(row_of(plane.u8, y, shifts.y), spread.shift, shifts.x, out);
    } else {
      spread_row(row_of(plane.u16, y, shifts.y), spread.shift, shifts.x, out);
    }
  }
}

}  // namespace vq::ciede
