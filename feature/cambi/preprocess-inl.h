// Preprocessing, row by row. Included once for each SIMD target.
#if defined(VQ_CAMBI_PREPROCESS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_CAMBI_PREPROCESS_INL_H
#undef VQ_CAMBI_PREPROCESS_INL_H
#else
#define VQ_CAMBI_PREPROCESS_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>

#include "core/platform.h"
#include "feature/cambi/stages.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::cambi {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using LumaU = hn::ScalableTag<uint16_t>;

HWY_INLINE hn::VFromD<LumaU> load_luma(const uint8_t* in) {
  return hn::PromoteTo(LumaU(), hn::LoadU(hn::Rebind<uint8_t, LumaU>(), in));
}
HWY_INLINE hn::VFromD<LumaU> load_luma(const uint16_t* in) {
  return hn::LoadU(LumaU(), in);
}

// 10 bits from a depth: left or right shift, the right one rounding. A sum over 16 bits saturates and still
// rounds to 1024: (65535 + 32) >> 6 is 1023, so the carry is added after the shift instead.
class DepthShift {
 public:
  explicit DepthShift(int depth) : up_(depth < 10 ? 10 - depth : 0), down_(depth > 10 ? depth - 10 : 0) {}

  HWY_INLINE hn::VFromD<LumaU> operator()(hn::VFromD<LumaU> v) const {
    const LumaU u;
    if (up_ > 0) return hn::ShiftLeftSame(v, up_);
    if (down_ == 0) return v;
    const auto half_bit = hn::And(hn::ShiftRightSame(v, down_ - 1), hn::Set(u, 1));
    return hn::Add(hn::ShiftRightSame(v, down_), half_bit);
  }

 private:
  int up_, down_;
};

inline void anti_dither_row(uint16_t* row, const uint16_t* below, int width) {
  const LumaU u;
  const int step = static_cast<int>(hn::Lanes(u));
  const uint16_t last = static_cast<uint16_t>((row[width - 1] + below[width - 1]) >> 1);
  for (int x = 0; x < width; x += step) {
    const auto upper = hn::Add(hn::LoadU(u, row + x), hn::LoadU(u, row + x + 1));
    const auto lower = hn::Add(hn::LoadU(u, below + x), hn::LoadU(u, below + x + 1));
    hn::StoreU(hn::ShiftRight<2>(hn::Add(upper, lower)), u, row + x);
  }
  row[width - 1] = last;
}

inline void anti_dither_last_row(uint16_t* row, int width) {
  const LumaU u;
  const int step = static_cast<int>(hn::Lanes(u));
  const uint16_t last = row[width - 1];
  for (int x = 0; x < width; x += step) {
    hn::StoreU(hn::ShiftRight<1>(hn::Add(hn::LoadU(u, row + x), hn::LoadU(u, row + x + 1))), u, row + x);
  }
  row[width - 1] = last;
}

// Resizing reads one sample at a time; only the depth is a compile-time constant.
template <typename T>
void pick_row(const T* in, const CambiPlan& plan, uint16_t* out) {
  const int32_t* columns = plan.source_columns.data();
  const int up = plan.input_depth < 10 ? 10 - plan.input_depth : 0;
  const int down = plan.input_depth > 10 ? plan.input_depth - 10 : 0;
  const int half = down > 0 ? 1 << (down - 1) : 0;
  for (int x = 0; x < plan.width; ++x) {
    out[x] = static_cast<uint16_t>(((in[columns[x]] + half) >> down) << up);
  }
}

inline bool within_depth(PlaneView<const uint8_t>, int) {
  return true;
}

inline bool within_depth(PlaneView<const uint16_t> luma, int depth) {
  const LumaU u;
  const int step = static_cast<int>(hn::Lanes(u));
  const auto excess = hn::Set(u, static_cast<uint16_t>(~((1U << depth) - 1)));
  auto seen = hn::Zero(u);
  unsigned rest = 0;
  for (int y = 0; y < luma.height; ++y) {
    const uint16_t* row = luma.row(y);
    int x = 0;
    for (; x + step <= luma.width; x += step) seen = hn::Or(seen, hn::LoadU(u, row + x));
    for (; x < luma.width; ++x) rest |= row[x];
  }
  return hn::AllTrue(u, hn::Eq(hn::And(seen, excess), hn::Zero(u))) && rest >> depth == 0;
}

// Makes the rows of the 10-bit picture one after the other, so that all passes over a row but the first find
// it in cache.
template <typename T>
class RowPreprocessor {
 public:
  RowPreprocessor(PlaneView<const T> luma, const CambiPlan& plan, Image image)
      : luma_(luma), plan_(plan), image_(image), shift_(plan.input_depth) {
    HWY_DASSERT(are_of_plan(luma, image, plan));
  }

  // Whether no sample that resizing may skip exceeds the depth's maximum; others are looked at row by row.
  bool skips_no_excess() const {
    return !checks_depth() || !plan_.resizes() || within_depth(luma_, plan_.input_depth);
  }

  // Converts the next row. False if a sample exceeds the depth's maximum.
  bool advance() {
    const int y = next_++;
    if (plan_.resizes()) {
      pick_row(luma_.row(plan_.source_rows[static_cast<size_t>(y)]), plan_, image_.row(y));
    } else {
      if (checks_depth() && !within_depth({luma_.row(y), luma_.width, 1, luma_.stride}, plan_.input_depth))
        return false;
      convert_row(y);
    }
    if (plan_.anti_dither && y > 0) anti_dither_row(image_.row(y - 1), image_.row(y), image_.width);
    if (plan_.anti_dither && y == image_.height - 1) anti_dither_last_row(image_.row(y), image_.width);
    return true;
  }

  // How many rows are finished.
  int finished() const { return plan_.anti_dither && next_ < image_.height ? std::max(next_ - 1, 0) : next_; }

 private:
  bool checks_depth() const { return sizeof(T) == 2 && plan_.input_depth < 16; }

  // Luma has no guards: the last vector starts early, so that it ends with the row. Rows narrower than a
  // vector are copied first. Lines of the next row, including those to be written, are prefetched.
  void convert_row(int y) const {
    const LumaU u;
    const int step = static_cast<int>(hn::Lanes(u)), width = image_.width;
    const int below = std::min(y + 1, image_.height - 1);
    const T *const in = luma_.row(y), *const in_below = luma_.row(below);
    uint16_t *const out = image_.row(y), *const out_below = image_.row(below);
    if (width < step) {
      HWY_ALIGN T copy[hn::MaxLanes(LumaU())] = {};
      for (int x = 0; x < width; ++x) copy[x] = in[x];
      hn::StoreU(shift_(load_luma(copy)), u, out);
      return;
    }
    constexpr int kLine = kCacheLineBytes / static_cast<int>(sizeof(T));
    int x = 0;
    for (; x + kLine <= width; x += kLine) {
      hwy::Prefetch(in_below + x);
      __builtin_prefetch(out_below + x, 1);
      if (sizeof(T) == 1) __builtin_prefetch(out_below + x + kLine / 2, 1);
      for (int k = x; k < x + kLine; k += step) hn::StoreU(shift_(load_luma(in + k)), u, out + k);
    }
    for (; x + step <= width; x += step) hn::StoreU(shift_(load_luma(in + x)), u, out + x);
    if (x < width) hn::StoreU(shift_(load_luma(in + width - step)), u, out + width - step);
  }

  const PlaneView<const T> luma_;
  const CambiPlan& plan_;
  const Image image_;
  const DepthShift shift_;
  int next_ = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace vq::cambi
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR
#endif
