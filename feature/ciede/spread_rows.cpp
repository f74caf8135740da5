#include "feature/ciede/stages.h"

namespace vq::ciede {
namespace {

template <typename T>
void spread_row(const T* in, int shift, int chroma_shift, PlaneView<uint16_t> out) {
  const auto shifted = [&](int i) { return static_cast<uint16_t>(in[i] << shift); };
  uint16_t* const to = out.data;
  if (chroma_shift == 0) {
    for (int x = 0; x < out.width; ++x) to[x] = shifted(x);
    return;
  }
  if (chroma_shift == 1) {
    for (int x = 0; x + 1 < out.width; x += 2) to[x] = to[x + 1] = shifted(x / 2);
    if (out.width % 2 != 0) to[out.width - 1] = shifted(out.width / 2);
    return;
  }
  for (int x = 0; x < out.width; ++x) to[x] = shifted(x >> chroma_shift);
}

}  // namespace

void SpreadRows::fill(const Frame& frame, const Spread& spread, int y) {
  for (int i = 0; i < kMaxPlanes; ++i) {
    const SampleView& plane = frame.planes[static_cast<size_t>(i)];
    const ChromaShifts shifts = i == 0 ? ChromaShifts{} : spread.chroma;
    const PlaneView<uint16_t> out = {samples_.row(i), samples_.width(), 1, 0};
    if (plane.is_u8()) {
      spread_row(plane.u8.row(y >> shifts.y), spread.shift, shifts.x, out);
    } else {
      spread_row(plane.u16.row(y >> shifts.y), spread.shift, shifts.x, out);
    }
  }
}

}  // namespace vq::ciede
