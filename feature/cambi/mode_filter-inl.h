// The mode filter, row by row. Included once for each SIMD target.
#if defined(VQ_CAMBI_MODE_FILTER_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_CAMBI_MODE_FILTER_INL_H
#undef VQ_CAMBI_MODE_FILTER_INL_H
#else
#define VQ_CAMBI_MODE_FILTER_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "feature/cambi/stages.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::cambi {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FilterU = hn::ScalableTag<uint16_t>;

HWY_INLINE hn::VFromD<FilterU> mode3(hn::VFromD<FilterU> a, hn::VFromD<FilterU> b, hn::VFromD<FilterU> c) {
  const auto least = hn::Min(a, hn::Min(b, c));
  const auto b_or_least = hn::IfThenElse(hn::Eq(b, c), b, least);
  return hn::IfThenElse(hn::Or(hn::Eq(a, b), hn::Eq(a, c)), a, b_or_least);
}

// The first and the last column are put right after the vectors have passed over them.
inline void filter_row(const uint16_t* in, int width, uint16_t* out) {
  const FilterU u;
  const int step = static_cast<int>(hn::Lanes(u));
  for (int x = 0; x < width; x += step) {
    hn::Store(mode3(hn::LoadU(u, in + x - 1), hn::LoadU(u, in + x), hn::LoadU(u, in + x + 1)), u, out + x);
  }
  out[0] = in[0];
  out[width - 1] = in[width - 1];
}

// Filters an image in place, row by row, as its rows become available.
class RowModeFilter {
 public:
  RowModeFilter(Image image, Scratch& scratch) : image_(image), rows_(scratch.rows.view()) {
    HWY_DASSERT(image.width <= rows_.width);
  }

  // Filters all rows that depend on the first `finished` rows only, of those before `end`.
  void advance(int finished, int end) {
    if (image_.height < 3) return;
    while (next_ + 1 < std::min(image_.height, finished) && next_ < end) {
      for (; filtered_ < next_ + 2; ++filtered_)
        filter_row(image_.row(filtered_), image_.width, row(filtered_));
      filter_columns(next_++);
    }
  }

 private:
  uint16_t* row(int y) const { return rows_.row(y % 3); }

  void filter_columns(int y) const {
    const FilterU u;
    const int step = static_cast<int>(hn::Lanes(u));
    const uint16_t *const above = row(y - 1), *const own = row(y), *const below = row(y + 1);
    uint16_t* const out = image_.row(y);
    for (int x = 0; x < image_.width; x += step) {
      hn::StoreU(mode3(hn::Load(u, above + x), hn::Load(u, own + x), hn::Load(u, below + x)), u, out + x);
    }
  }

  const Image image_;
  const PlaneView<uint16_t> rows_;  // three rows, filtered along themselves
  int filtered_ = 0;                // how many of the image's rows were
  int next_ = 1;                    // the row to be filtered next; the first and the last stay
};

}  // namespace HWY_NAMESPACE
}  // namespace vq::cambi
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR
#endif
