#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/cambi/mode_filter.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "feature/cambi/mode_filter-inl.h"
#include "feature/cambi/stages.h"
#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq::cambi::scalar {
namespace {

uint16_t mode3(uint16_t a, uint16_t b, uint16_t c) {
  if (a == b || a == c) return a;
  if (b == c) return b;
  return std::min({a, b, c});
}

void filter_row(const uint16_t* in, int width, uint16_t* out) {
  std::copy_n(in, width, out);
  for (int x = 1; x + 1 < width; ++x) out[x] = mode3(in[x - 1], in[x], in[x + 1]);
}

}  // namespace

void mode_filter(Image image, Scratch& scratch) {
  HWY_DASSERT(image.width <= scratch.rows.width());
  if (image.height < 3) return;  // no row between the first and the last
  // Rows y-1, y and y+1 as the row pass leaves them: row y of the image is overwritten when nothing reads it
  // any more.
  uint16_t *above = scratch.rows.row(0), *row = scratch.rows.row(1), *below = scratch.rows.row(2);
  filter_row(image.row(0), image.width, above);
  filter_row(image.row(1), image.width, row);
  for (int y = 1; y + 1 < image.height; ++y) {
    filter_row(image.row(y + 1), image.width, below);
    uint16_t* out = image.row(y);
    for (int x = 0; x < image.width; ++x) out[x] = mode3(above[x], row[x], below[x]);
    std::swap(above, row);
    std::swap(row, below);
  }
}

}  // namespace vq::cambi::scalar
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::cambi {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::mode_filter;
#else

void mode_filter(Image image, Scratch& scratch) {
  RowModeFilter(image, scratch).advance(image.height, image.height);
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::cambi
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_STAGE(vq::cambi, mode_filter)
#endif  // HWY_ONCE
