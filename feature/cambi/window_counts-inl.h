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

#include "feature/cambi/level_rows-inl.h"
#include "feature/cambi/stages.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::cambi {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// One strip's window counts. A run that enters or leaves the window changes the counts of its level by a
// trapezoid: rising over one window's width, level at min(run, window), falling.
class WindowCounts {
 public:
  // `left`: number of columns before the strip that its windows cover, if the picture has them.
  WindowCounts(const CambiPlan& plan, Scratch& scratch, Strip strip, int left)
      : edge_(scratch.edge.row(0) + kEdgeOrigin),
        table_(scratch.window_counts.get()),
        stride_(window_counts_stride(strip.width)),
        samples_(scratch.level_counts.data()),
        level_contrasts_(scratch.level_contrasts.data()),
        contrasts_(scratch.contrasts_in_use.data()),
        num_contrasts_(plan.num_contrasts),
        reach_(plan.half_window),
        width_(strip.width),
        left_(left) {
    uint16_t* edge = scratch.edge.row(0);
    for (int x = 0; x < scratch.edge.width(); ++x) {
      edge[x] = static_cast<uint16_t>(std::clamp(x - kEdgeOrigin + 1, 0, plan.window));
    }
    std::fill(scratch.level_counts.begin(), scratch.level_counts.end(), kStale);
    std::fill(scratch.contrasts_in_use.begin(), scratch.contrasts_in_use.end(), 0U);
  }

  // Counts of a level in -num_contrasts..kMaxLevel + num_contrasts, for the strip's columns; valid for every
  // level that occurred so far and for those a contrast away.
  const uint16_t* row(int level) const { return table_ + stride_ * (level + num_contrasts_); }
  // How many columns of counts lie between neighbouring levels.
  ptrdiff_t stride() const { return stride_; }
  // [level] bit d - 1: contrast d counts, and a level d away occurs in the window's rows.
  const uint32_t* contrasts() const { return contrasts_; }

  void enter(const LevelRow& row, const Pieces& pieces) const { change<true>(row.levels, pieces); }
  void leave(const LevelRow& row, const Pieces& pieces) const { change<false>(row.levels, pieces); }

 private:
  static constexpr int32_t kStale = -1;  // in samples_: the level's row holds what was left there

  template <bool kEnters>
  void change(const uint16_t* levels, const Pieces& pieces) const {
    // Vector stores may change anything the compiler does not hold in registers, members included; not a
    // copy.
    const WindowCounts copy = *this;
    for (int i = 0; i < pieces.count; ++i) {
      const int from = pieces.list[i].from, length = pieces.list[i].to - from;
      const int level = levels[from];
      int32_t& samples = copy.samples_[level + copy.num_contrasts_];
      if (kEnters && samples <= 0) copy.appear(level);
      samples += kEnters ? length : -length;
      if (!kEnters && samples == 0) copy.disappear(level);
      copy.add_trapezoid<kEnters>(copy.table_ + copy.stride_ * (level + copy.num_contrasts_),
                                  from - copy.left_, length);
    }
  }

  // Makes the level's row of counts, and the rows it will be compared with, valid.
  HWY_NOINLINE void appear(int level) const {
    for (int i = level; i <= level + 2 * num_contrasts_; ++i) {
      if (samples_[i] != kStale) continue;
      std::fill_n(table_ + stride_ * i, stride_, uint16_t{0});
      samples_[i] = 0;
    }
    for (int d = 1; d <= num_contrasts_; ++d) {
      const uint32_t bit = 1U << (d - 1);
      if (level >= d) contrasts_[level - d] |= level_contrasts_[level - d] & bit;
      if (level + d <= kMaxLevel) contrasts_[level + d] |= level_contrasts_[level + d] & bit;
    }
  }

  HWY_NOINLINE void disappear(int level) const {
    const auto occurs = [&](int other) {
      return other >= 0 && other <= kMaxLevel && samples_[other + num_contrasts_] > 0;
    };
    for (int d = 1; d <= num_contrasts_; ++d) {
      const uint32_t bit = 1U << (d - 1);
      if (level >= d && !occurs(level - 2 * d)) contrasts_[level - d] &= ~bit;
      if (level + d <= kMaxLevel && !occurs(level + 2 * d)) contrasts_[level + d] &= ~bit;
    }
  }

  // A run of `length` samples from column `start` of the strip, which may be outside it. Its trapezoid is the
  // difference of the rising edges of two half-lines, one from the run's first sample and one after its last.
  // Two vectors per iteration: if the second is past the end, it adds zeros.
  template <bool kEnters>
  HWY_INLINE void add_trapezoid(uint16_t* counts, int start, int length) const {
    const int first = start - reach_;
    const int end = std::min(start + length + reach_, width_);
    const uint16_t* const rising = edge_ - first;
    const uint16_t* const falling = rising - length;
    for (int x = std::max(first, 0) & -step(); x < end; x += 2 * step()) {
      add<kEnters>(rising + x, falling + x, counts + x);
      add<kEnters>(rising + x + step(), falling + x + step(), counts + x + step());
    }
  }

  template <bool kEnters>
  static HWY_INLINE void add(const uint16_t* rising, const uint16_t* falling, uint16_t* counts) {
    const U16 u;
    const auto amount = hn::Sub(hn::LoadU(u, rising), hn::LoadU(u, falling));
    const auto old = hn::Load(u, counts);
    hn::Store(kEnters ? hn::Add(old, amount) : hn::Sub(old, amount), u, counts);
  }

  static HWY_INLINE int step() { return static_cast<int>(hn::Lanes(U16())); }

  const uint16_t* const edge_;  // [x]: samples of a half-line from 0 on in the window that ends at x
  uint16_t* const table_;
  const ptrdiff_t stride_;
  int32_t* const samples_;  // [level + num_contrasts_] masked samples of it in the window's rows, or kStale
  const uint32_t* const level_contrasts_;
  uint32_t* const contrasts_;
  const int num_contrasts_, reach_, width_, left_;
};

}  // namespace HWY_NAMESPACE
}  // namespace vq::cambi
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR
#endif
