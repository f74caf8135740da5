// How many masked samples of every level the window around each column holds, kept up while the window slides
// down a strip. Included once for each SIMD target.
#if defined(VQ_CAMBI_WINDOW_COUNTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_CAMBI_WINDOW_COUNTS_INL_H
#undef VQ_CAMBI_WINDOW_COUNTS_INL_H
#else
#define VQ_CAMBI_WINDOW_COUNTS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "feature/cambi_stages.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::cambi {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using U16 = hn::ScalableTag<uint16_t>;
using I16 = hn::ScalableTag<int16_t>;

inline constexpr uint16_t kNoLevel = 0xFFFF;  // of samples that are not masked or that nothing looks at

// Equal samples side by side: from column `start` (counted from the first column the strip's windows reach)
// to the next run's start. A row's last run is empty, has no level and starts where the row ends.
struct Run {
  uint16_t start = 0, level = kNoLevel;
};
static_assert(sizeof(Run) == sizeof(uint32_t));

// Levels that some contrast looks at, its own or its neighbours'.
struct LevelRange {
  int first = 0, last = -1;
};

// One strip's window counts. A run that enters or leaves the window changes the counts of its level by a
// trapezoid: rising over one window's width, level at min(run, window), falling. Where a level enters in the
// same columns as it leaves, nothing changes.
class WindowCounts {
 public:
  // `left` is how many columns before the strip its windows reach, where the picture has them.
  WindowCounts(const CambiPlan& plan, Scratch& scratch, Strip strip, int left)
      : table_(scratch.window_counts.row(0)),
        stride_(scratch.window_counts.view().stride),
        samples_(scratch.level_counts.data()),
        offset_(plan.num_contrasts),
        reach_(plan.half_window),
        window_(plan.window),
        width_(strip.width),
        left_(left) {
    std::fill(scratch.level_counts.begin(), scratch.level_counts.end(), kStale);
  }

  // Of levels -num_contrasts..kMaxLevel + num_contrasts, for the strip's columns; valid where holds(level).
  const uint16_t* row(int level) const { return table_ + stride_ * (level + offset_); }
  bool holds(int level) const { return samples_[level + offset_] > 0; }

  // Slides the window by one row: `in` enters and `out` leaves. Both rows of runs end at column `end`.
  void move(const Run* in, const Run* out, int end) {
    int in_from = 0, out_from = 0;  // first column of either run that still has to be added or taken away
    for (int at = 0; at < end;) {
      const int in_end = in[1].start, out_end = out[1].start, next = std::min(in_end, out_end);
      if (in->level == out->level) {
        change<true>(in->level, in_from, at);
        change<false>(out->level, out_from, at);
        in_from = out_from = next;
      }
      if (in_end == next) {
        change<true>(in->level, in_from, next);
        in_from = next;
        ++in;
      }
      if (out_end == next) {
        change<false>(out->level, out_from, next);
        out_from = next;
        ++out;
      }
      at = next;
    }
  }

 private:
  static constexpr int32_t kStale = -1;  // in samples_: the level's row holds what was left there

  template <bool kEnters>
  HWY_INLINE void change(int level, int from, int to) {
    if (from >= to || level == kNoLevel) return;
    int32_t& samples = samples_[level + offset_];
    uint16_t* counts = table_ + stride_ * (level + offset_);
    if (samples == kStale) {
      std::fill_n(counts, stride_, uint16_t{0});
      samples = 0;
    }
    samples += kEnters ? to - from : from - to;
    add_trapezoid<kEnters>(counts, from - left_, to - from);
  }

  template <bool kEnters>
  static HWY_INLINE void add(uint16_t* counts, hn::VFromD<I16> amount) {
    const U16 u;
    const auto old = hn::Load(u, counts), by = hn::BitCast(u, amount);
    hn::Store(kEnters ? hn::Add(old, by) : hn::Sub(old, by), u, counts);
  }

  // A run of `length` samples from column `start` of the strip, which may lie outside it.
  template <bool kEnters>
  HWY_INLINE void add_trapezoid(uint16_t* counts, int start, int length) {
    const I16 d;
    const int step = static_cast<int>(hn::Lanes(d));
    const int top = std::min(length, window_);
    const int first = start - reach_, last = start + length + reach_;  // the trapezoid's columns
    const int flat_end = std::min(last - top + 1, width_) - step;      // of vectors that lie in its flat part
    const auto flat = hn::Set(d, static_cast<int16_t>(top));
    const auto stride = hn::Set(d, static_cast<int16_t>(step));
    const int end = std::min(last, width_);
    int x = std::max(first, 0) / step * step;
    auto rising = hn::Iota(d, static_cast<int16_t>(x - first + 1));
    auto falling = hn::Sub(hn::Set(d, static_cast<int16_t>(last - x)), hn::Iota(d, 0));
    const auto ramp = [&]() HWY_ATTR {
      const auto amount = hn::Max(hn::Min(hn::Min(rising, falling), flat), hn::Zero(d));
      add<kEnters>(counts + x, amount);
      rising = hn::Add(rising, stride);
      falling = hn::Sub(falling, stride);
      x += step;
    };
    if (flat_end - first >= 4 * step) {
      while (x < end && x < first + top - 1) ramp();
      for (; x <= flat_end; x += step) add<kEnters>(counts + x, flat);
      falling = hn::Sub(hn::Set(d, static_cast<int16_t>(last - x)), hn::Iota(d, 0));
      rising = flat;
    }
    while (x < end) ramp();
  }

  uint16_t* const table_;
  const ptrdiff_t stride_;
  int32_t* const samples_;
  const int offset_, reach_, window_, width_, left_;
};

}  // namespace HWY_NAMESPACE
}  // namespace vq::cambi
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR
#endif
