// Collects, for the samples of one row, the window counts from which their c-values are computed. Included
// once for each SIMD target.
#if defined(VQ_CAMBI_ROW_COUNTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_CAMBI_ROW_COUNTS_INL_H
#undef VQ_CAMBI_ROW_COUNTS_INL_H
#else
#define VQ_CAMBI_ROW_COUNTS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "feature/cambi/contrasts-inl.h"
#include "feature/cambi/level_rows-inl.h"
#include "feature/cambi/stages.h"
#include "feature/cambi/window_counts-inl.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::cambi {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Columns from..to - 1 of a strip.
struct Columns {
  int from, to;
};

// Runs are copied directly from the counts; if they are too short for that, counts are copied sample by
// sample.
class RowCollector {
 public:
  // `out` receives N, the counts of each sample's own level, in row 0 and P of contrast d in row d. The rows
  // of contrasts must be zero, which remains for contrasts that do not count.
  RowCollector(const WindowCounts& counts, const LevelRows& rows, Strip strip, PlaneView<uint16_t> out)
      : own_(counts.row(0)),
        stride_(counts.stride()),
        contrasts_(counts.contrasts()),
        words_(rows.words()),
        reached_(rows.reached),
        left_(strip.x - rows.begin),
        width_(strip.width),
        out_(out.data),
        out_stride_(out.stride) {}

  HWY_NOINLINE void collect(const LevelRow& row) const {
    const RowCollector copy = *this;  // see WindowCounts::change
    for (int i = 0; i < copy.words_; ++i) {
      const uint64_t starts = row.starts[i];
      const uint64_t runs = starts & row.counted[i];
      if (runs == 0) continue;
      const bool dense = kDense * hwy::PopCount(runs) > hwy::PopCount(row.counted[i]);
      if (dense) copy.copy_samples(row, i);
      for (uint64_t bits = starts; bits != 0;) {
        const int from = 64 * i + lowest(bits);
        bits &= bits - 1;
        if (dense && bits != 0) continue;
        const uint16_t level = row.levels[from];
        if (level == kNoLevel) continue;
        const int to = bits != 0 ? 64 * i + lowest(bits) : copy.next_start(row.starts, i + 1);
        copy.copy_run(level, copy.in_strip(dense ? 64 * i + 64 : from, to));
      }
    }
  }

 private:
  static constexpr uint32_t kGroupBits = (1U << kContrastGroup) - 1;
  // Columns are copied one by one if the mean run is shorter.
  static constexpr size_t kDense = 2;

  static HWY_INLINE int lowest(uint64_t bits) {
    return static_cast<int>(hwy::Num0BitsBelowLS1Bit_Nonzero64(bits));
  }

  // Counts columns from the strip's first.
  HWY_INLINE Columns in_strip(int from, int to) const {
    return {std::max(from - left_, 0), std::min(to - left_, width_)};
  }

  HWY_INLINE int next_start(const uint64_t* starts, int word) const {
    for (; word < words_; ++word) {
      if (starts[word] != 0) return 64 * word + lowest(starts[word]);
    }
    return reached_;
  }

  // Stores whole vectors: what one leaves beyond its run are zeros, over which the next run writes.
  HWY_INLINE void copy_run(int level, Columns run) const {
    const U16 u;
    const int step = static_cast<int>(hn::Lanes(u));
    const uint32_t contrasts = contrasts_[level];
    if (contrasts == 0) return;
    const uint16_t* const level_counts = own_ + stride_ * level;
    for (int x = run.from; x < run.to; x += step) {
      const auto in_run = hn::FirstN(u, static_cast<size_t>(run.to - x));
      const uint16_t* const own = level_counts + x;
      hn::StoreU(hn::IfThenElseZero(in_run, hn::LoadU(u, own)), u, out_ + x);
      for_contrasts(contrasts, own, out_ + x,
                    [&](const uint16_t* above, const uint16_t* below, uint16_t* out) HWY_ATTR {
                      const auto other = hn::Max(hn::LoadU(u, above), hn::LoadU(u, below));
                      hn::StoreU(hn::IfThenElseZero(in_run, other), u, out);
                    });
    }
  }

  HWY_INLINE void copy_samples(const LevelRow& row, int word) const {
    for (uint64_t bits = row.counted[word]; bits != 0; bits &= bits - 1) {
      const int column = 64 * word + lowest(bits), x = column - left_;
      if (x < 0 || x >= width_) continue;
      const ptrdiff_t level = row.levels[column];
      const uint16_t* const own = own_ + stride_ * level + x;
      out_[x] = *own;
      for_contrasts(contrasts_[level], own, out_ + x,
                    [](const uint16_t* above, const uint16_t* below, uint16_t* out)
                        HWY_ATTR { *out = std::max(*above, *below); });
    }
  }

  // Calls `copy` with the counts of both levels of each contrast, and the destination of P. `contrasts` has
  // bit d - 1 set for contrast d.
  template <typename Copy>
  HWY_INLINE void for_contrasts(uint32_t contrasts, const uint16_t* own, uint16_t* own_out,
                                const Copy& copy) const {
    const auto copy_contrast =
        [&](const uint16_t* above, const uint16_t* below, uint16_t* out, ptrdiff_t i)
            HWY_ATTR { copy(above + i * stride_, below - i * stride_, out + i * out_stride_); };
    const uint16_t *above = own + stride_, *below = own - stride_;
    uint16_t* out = own_out + out_stride_;
    for (; contrasts != 0; contrasts >>= kContrastGroup) {
      if ((contrasts & kGroupBits) == kGroupBits) {
        copy_contrast(above, below, out, 0);
        copy_contrast(above, below, out, 1);
        copy_contrast(above, below, out, 2);
        copy_contrast(above, below, out, 3);
      } else {
        for (uint32_t bits = contrasts & kGroupBits; bits != 0; bits &= bits - 1) {
          copy_contrast(above, below, out, static_cast<ptrdiff_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(bits)));
        }
      }
      above += kContrastGroup * stride_;
      below -= kContrastGroup * stride_;
      out += kContrastGroup * out_stride_;
    }
  }
  static_assert(kContrastGroup == 4);

  const uint16_t* const own_;  // row of level 0
  const ptrdiff_t stride_;
  const uint32_t* const contrasts_;
  const int words_, reached_, left_, width_;
  uint16_t* const out_;
  const ptrdiff_t out_stride_;
};

}  // namespace HWY_NAMESPACE
}  // namespace vq::cambi
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR
#endif
