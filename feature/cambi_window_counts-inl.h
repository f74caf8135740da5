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
      : edge_(scratch.edge.row(0) + kEdgeOrigin),
        table_(scratch.window_counts.row(0)),
        stride_(scratch.window_counts.stride),
        samples_(scratch.level_counts.data()),
        offset_(plan.num_contrasts),
        reach_(plan.half_window),
        window_(plan.window),
        width_(strip.width),
        left_(left) {
    uint16_t* edge = scratch.edge.row(0);
    for (int x = 0; x < scratch.edge.width(); ++x) {
      edge[x] = static_cast<uint16_t>(std::clamp(x - kEdgeOrigin + 1, 0, window_));
    }
    std::fill(scratch.level_counts.begin(), scratch.level_counts.end(), kStale);
  }

  // Of levels -num_contrasts..kMaxLevel + num_contrasts, for the strip's columns; valid where samples() are
  // more than 0.
  const uint16_t* row(int level) const { return table_ + stride_ * (level + offset_); }

  // Slides the window by one row: `in` enters and `out` leaves. Both rows of runs end at column `end`.
  void move(const Run* in, const Run* out, int end) const {
    // Vector stores may change anything the compiler does not hold in registers, members included; not a
    // copy.
    const WindowCounts copy = *this;
    copy.slide(in, out, end);
  }

  // How many columns of counts lie between neighbouring levels.
  ptrdiff_t stride() const { return stride_; }
  // [level]: how many masked samples of it the window's rows hold, or less than 1.
  const int32_t* samples() const { return samples_ + offset_; }

 private:
  HWY_INLINE void slide(const Run* in, const Run* out, int end) const {
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

  static constexpr int32_t kStale = -1;  // in samples_: the level's row holds what was left there

  template <bool kEnters>
  HWY_INLINE void change(int level, int from, int to) const {
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

  // A run of `length` samples from column `start` of the strip, which may lie outside it. Its trapezoid is
  // the difference of the rising edges of two half-lines, one from the run's first sample and one from behind
  // its last. Short runs all take the same number of vectors, wherever they start, since a loop whose length
  // varies costs more than a vector of zeros.
  template <bool kEnters>
  HWY_INLINE void add_trapezoid(uint16_t* counts, int start, int length) const {
    const int first = start - reach_;
    const int from = std::max(first, 0) & -step();
    const int end = start + length + reach_;
    const uint16_t* from_first = edge_ - first;
    add<kEnters>(from_first, from_first - length, {from, std::min(end, width_)}, counts);
  }

  struct Span {
    int from, end;
  };

  template <bool kEnters>
  static HWY_INLINE void add(const uint16_t* rising, const uint16_t* falling, Span span, uint16_t* counts) {
    const U16 u;
    for (int x = span.from; x < span.end; x += step()) {
      const auto amount = hn::Sub(hn::LoadU(u, rising + x), hn::LoadU(u, falling + x));
      const auto old = hn::Load(u, counts + x);
      hn::Store(kEnters ? hn::Add(old, amount) : hn::Sub(old, amount), u, counts + x);
    }
  }

  static HWY_INLINE int step() { return static_cast<int>(hn::Lanes(U16())); }

  const uint16_t* const edge_;  // [x]: samples of a half-line from 0 on in the window that ends at x
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
