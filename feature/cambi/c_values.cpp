#define HWY_TARGET_INCLUDE "feature/cambi/c_values.cpp"
#include <hwy/foreach_target.h>

#include "feature/cambi/stages.h"
#include "feature/cambi/window_counts-inl.h"

#if HWY_ONCE
namespace vq::cambi::scalar {
namespace {

bool is_counted(uint8_t mask, uint16_t level) { return mask != 0 && level <= kMaxLevel; }

// For every level and every column x of a strip, how many masked samples of that level the window around (x,
// current row) holds: a histogram that slides down the picture. A sample that enters or leaves counts in the
// window's width of columns.
class WindowCounts {
 public:
  WindowCounts(const CambiPlan& plan, Scratch& scratch, Strip strip)
      : counts_(scratch.window_counts.get()),
        stride_(window_counts_stride(strip.width)),
        strip_(strip),
        reach_(plan.half_window),
        offset_(plan.num_contrasts) {
    std::fill_n(counts_, stride_ * (kMaxLevel + 1 + 2 * offset_), uint16_t{0});
  }

  // Counts of levels -num_contrasts..kMaxLevel + num_contrasts; those outside the picture's levels stay zero.
  uint16_t* row(int level) { return counts_ + stride_ * (level + offset_); }

  void add(PlaneView<const uint16_t> samples, const uint8_t* mask, int change) {
    const int begin = std::max(strip_.x - reach_, 0);
    const int end = std::min(strip_.x + strip_.width + reach_, samples.width);
    for (int x = begin; x < end; ++x) {
      if (!is_counted(mask[x], samples.data[x])) continue;
      uint16_t* counts = row(samples.data[x]);
      const int first = std::max(x - reach_ - strip_.x, 0);
      const int last = std::min(x + reach_ - strip_.x, strip_.width - 1);
      for (int k = first; k <= last; ++k) counts[k] = static_cast<uint16_t>(counts[k] + change);
    }
  }

 private:
  uint16_t* const counts_;
  const ptrdiff_t stride_;
  const Strip strip_;
  const int reach_, offset_;
};

float c_value(WindowCounts& counts, int level, int x, const CambiPlan& plan) {
  float best = 0;
  const int64_t own = counts.row(level)[x];
  for (int d = 1; d <= plan.num_contrasts; ++d) {
    const Contrast& contrast = plan.contrasts[static_cast<size_t>(d - 1)];
    if (level < contrast.first_level || level > contrast.last_level) continue;
    const int64_t other = std::max(counts.row(level + d)[x], counts.row(level - d)[x]);
    const float value = static_cast<float>(contrast.weight * own * other) *
                        plan.reciprocals[static_cast<size_t>(own + other)];
    best = std::max(best, value);
  }
  return best;
}

}  // namespace

void c_values(ImageIn image, MaskIn mask, const CambiPlan& plan, Scratch& scratch, CValueSink& sink) {
  HWY_DASSERT(same_size(image, mask) && scratch.fits(image.width, plan));
  const int reach = plan.half_window;
  for (const Strip strip : strips_of(image.width)) {
    WindowCounts counts(plan, scratch, strip);
    const auto add = [&](int y, int change) {
      if (y >= 0 && y < image.height) {
        counts.add({image.row(y), image.width, 1, image.stride}, mask.row(y), change);
      }
    };
    for (int y = 0; y < reach; ++y) add(y, 1);
    float* values = scratch.tile.row(0);
    for (int y = 0; y < image.height; ++y) {
      add(y + reach, 1);
      add(y - reach - 1, -1);
      for (int x = 0; x < strip.width; ++x) {
        const int column = strip.x + x;
        const uint16_t level = image.row(y)[column];
        values[x] = is_counted(mask.row(y)[column], level) ? c_value(counts, level, x, plan) : 0.0F;
      }
      sink.tile(strip.x, y, {values, strip.width, 1, strip.width});
    }
  }
}

}  // namespace vq::cambi::scalar
#endif  // HWY_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::cambi::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// C-values of a row from the counts of its samples' levels.

using F32 = hn::ScalableTag<float>;
using I32 = hn::RebindToSigned<F32>;
using QuarterU16 = hn::Rebind<uint16_t, F32>;
using VF = hn::VFromD<F32>;
using MaskF32 = decltype(hn::Eq(hn::Zero(F32()), hn::Zero(F32())));

// The counts of one row of a strip: `own` of each sample's level, and `other[i]` of the levels at contrast
// first + i; zeros for contrasts that do not count. Reads whole vectors.
struct RowCounts {
  const uint16_t* own = nullptr;
  uint16_t* other[kContrastGroup] = {};
  float weight[kContrastGroup] = {};
};

// The value of contrast i is F = float(w * N * P) * R(N + P), N * w * P / (N + P) but for its roundings. So
// the largest is found by comparing fractions w * P / (N + P) by cross-multiplication, and only its
// reciprocal is looked up. Where two fractions come closer than the roundings could part them, all values
// are computed.
class Weigher {
 public:
  Weigher(const CambiPlan& plan, const RowCounts& counts)
      : reciprocals_(plan.reciprocals.data()), counts_(counts) {}

  // The largest value of contrasts kFirst..kEnd - 1 of the samples from column x on.
  template <int kFirst, int kEnd>
  HWY_INLINE VF largest(int x) const {
    const F32 f;
    const VF own = load(counts_.own + x), other = load(counts_.other[kFirst] + x);
    VF above = weighted<kFirst>(other), below = hn::Add(own, other);
    if constexpr (kEnd - kFirst > 1) {
      auto doubtful = contend<kFirst + 1>(own, x, above, below);
      if constexpr (kEnd - kFirst > 2) {
        doubtful = hn::Or(doubtful, contend<kFirst + 2>(own, x, above, below));
      }
      if constexpr (kEnd - kFirst > 3) {
        doubtful = hn::Or(doubtful, contend<kFirst + 3>(own, x, above, below));
      }
      if (HWY_UNLIKELY(!hn::AllFalse(f, doubtful))) return largest_by_value<kFirst, kEnd>(own, x);
    }
    return value(own, above, below);
  }

 private:
  // Rounding moves a value by at most 3 * 2^-24 and the ninth digit's 5e-9, together under 2^-22 of it, and a
  // product of this comparison by 2^-24.
  static constexpr float kDoubt = 0x1p-20F;

  static HWY_INLINE VF load(const uint16_t* counts) {
    return hn::ConvertTo(F32(), hn::PromoteTo(I32(), hn::LoadU(QuarterU16(), counts)));
  }

  // Fractions w * P / (N + P) are two variables, both exact: vectors whose length only the machine knows
  // cannot be members of a struct.
  template <int kContrast>
  HWY_INLINE VF weighted(VF other) const {
    return hn::Mul(other, hn::Set(F32(), counts_.weight[kContrast]));
  }

  HWY_INLINE VF value(VF own, VF above, VF below) const {
    const F32 f;
    const auto reciprocal = hn::GatherIndex(f, reciprocals_, hn::ConvertTo(I32(), below));
    return hn::Mul(hn::Mul(own, above), reciprocal);
  }

  // Sets above / below to the larger of itself and the next fraction; returns true if the comparison is
  // inexact.
  template <int kContrast>
  HWY_INLINE MaskF32 contend(VF own, int x, VF& above, VF& below) const {
    const F32 f;
    const VF other = load(counts_.other[kContrast] + x);
    const VF next_above = weighted<kContrast>(other), next_below = hn::Add(own, other);
    const VF ours = hn::Mul(above, next_below), theirs = hn::Mul(next_above, below);
    const auto wins = hn::Lt(ours, theirs);
    above = hn::IfThenElse(wins, next_above, above);
    below = hn::IfThenElse(wins, next_below, below);
    return hn::Lt(hn::Abs(hn::Sub(ours, theirs)), hn::Mul(ours, hn::Set(f, kDoubt)));
  }

  template <int kFirst, int kEnd>
  HWY_NOINLINE VF largest_by_value(VF own, int x) const {
    const VF other = load(counts_.other[kFirst] + x);
    VF best = value(own, weighted<kFirst>(other), hn::Add(own, other));
    if constexpr (kEnd - kFirst > 1) best = hn::Max(best, largest_by_value<kFirst + 1, kEnd>(own, x));
    return best;
  }

  const float* const reciprocals_;
  const RowCounts& counts_;
};

// Collects, for the samples of one row, the window counts from which their c-values are computed.

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

// One strip of a picture, from its first row to its last.
class StripPass {
 public:
  StripPass(ImageIn image, MaskIn mask, const CambiPlan& plan, Scratch& scratch, Strip strip)
      : plan_(plan),
        scratch_(scratch),
        strip_(strip),
        height_(image.height),
        rows_(image, mask, plan, scratch, strip),
        counts_(plan, scratch, strip, strip.x - rows_.begin),
        collector_(counts_, rows_, strip, scratch.row_counts.view()) {}

  void run(CValueSink& sink) {
    for (int y = 0; y < std::min(plan_.half_window, height_); ++y) slide(y);
    for (int y = 0; y < height_; y += kTileRows) {
      const int rows = std::min(kTileRows, height_ - y);
      const CValues tile = scratch_.tile.view(strip_.width, rows);
      for (int i = 0; i < rows; ++i) {
        slide(y + i + plan_.half_window);
        c_value_row(y + i, tile.row(i));
      }
      sink.tile(strip_.x, y, tile);
    }
  }

 private:
  // Row `in` enters the windows.
  void slide(int in) {
    const int out = in - plan_.window;
    rows_.slide(in, out, entering_, leaving_);
    counts_.enter(rows_.row(in), entering_);
    counts_.leave(rows_.row(out), leaving_);
  }

  void c_value_row(int y, float* values) const;
  template <int kCount>
  void weigh(const RowCounts& counts, bool first_group, float* values) const;

  const CambiPlan& plan_;
  Scratch& scratch_;
  const Strip strip_;
  const int height_;
  const LevelRows rows_;
  const WindowCounts counts_;
  const RowCollector collector_;
  Pieces entering_, leaving_;
};

// Leaves zeros in place of the other levels' counts, for the next row or group.
template <int kCount>
void StripPass::weigh(const RowCounts& counts, bool first_group, float* values) const {
  const F32 f;
  const U16 u;
  const int step = static_cast<int>(hn::Lanes(f));
  const Weigher weigher(plan_, counts);
  for (int x = 0; x < strip_.width; x += 2 * step) {
    auto low = hn::Zero(f), high = hn::Zero(f);
    auto others = hn::Zero(u);
    for (int i = 0; i + 1 < kCount; ++i) others = hn::Or(others, hn::Load(u, counts.other[i] + x));
    if (!hn::AllTrue(u, hn::Eq(others, hn::Zero(u)))) {
      low = weigher.largest<0, kCount>(x);
      high = weigher.largest<0, kCount>(x + step);
      for (int i = 0; i < kCount; ++i) hn::Store(hn::Zero(u), u, counts.other[i] + x);
    } else if (!hn::AllTrue(u, hn::Eq(hn::Load(u, counts.other[kCount - 1] + x), hn::Zero(u)))) {
      low = weigher.largest<kCount - 1, kCount>(x);
      high = weigher.largest<kCount - 1, kCount>(x + step);
      hn::Store(hn::Zero(u), u, counts.other[kCount - 1] + x);
    }
    if (!first_group) {
      low = hn::Max(low, hn::Load(f, values + x));
      high = hn::Max(high, hn::Load(f, values + x + step));
    }
    hn::Store(low, f, values + x);
    hn::Store(high, f, values + x + step);
  }
}

void StripPass::c_value_row(int y, float* values) const {
  collector_.collect(rows_.row(y));
  for (int first = 0; first < plan_.num_contrasts; first += kContrastGroup) {
    RowCounts counts;
    counts.own = scratch_.row_counts.row(0);
    const int count = std::min(plan_.num_contrasts, kContrastGroup);
    for (int i = 0; i < count; ++i) {
      counts.other[i] = scratch_.row_counts.row(1 + first + i);
      counts.weight[i] = static_cast<float>(plan_.contrasts[static_cast<size_t>(first + i)].weight);
    }
    if (count == 1) {
      weigh<1>(counts, first == 0, values);
    } else if (count == 2) {
      weigh<2>(counts, first == 0, values);
    } else {
      weigh<kContrastGroup>(counts, first == 0, values);
    }
  }
}

// Every sixteenth row tells how steep a picture is.
constexpr int kSteepRowStep = 16;

// Whether the mean run of masked samples is shorter than two.
bool has_short_runs(ImageIn image, MaskIn mask) {
  const U16 u;
  const hn::Rebind<uint8_t, U16> b;
  const int step = static_cast<int>(hn::Lanes(u));
  int64_t samples = 0, alike = 0;
  static_assert(kMaxSide <= UINT16_MAX);  // of which a row's sums are
  for (int y = kSteepRowStep / 2; y < image.height; y += kSteepRowStep) {
    const uint16_t* const row = image.row(y);
    const uint8_t* const masked = mask.row(y);
    auto row_samples = hn::Zero(u), row_alike = hn::Zero(u);
    int x = 1;
    for (; x + step <= image.width; x += step) {
      const auto here = hn::PromoteTo(u, hn::LoadU(b, masked + x));
      const auto both = hn::And(here, hn::PromoteTo(u, hn::LoadU(b, masked + x - 1)));
      const auto same = hn::Eq(hn::LoadU(u, row + x), hn::LoadU(u, row + x - 1));
      row_samples = hn::Add(row_samples, here);
      row_alike = hn::Add(row_alike, hn::IfThenElseZero(same, both));
    }
    samples += hn::GetLane(hn::SumOfLanes(u, row_samples));
    alike += hn::GetLane(hn::SumOfLanes(u, row_alike));
  }
  return 2 * (samples - alike) > samples;
}

bool has_many_levels(ImageIn image, MaskIn mask) {
  constexpr int kMany = 128;
  bool occurs[kMaxLevel + 1] = {};
  for (int y = kSteepRowStep / 2; y < image.height; y += kSteepRowStep) {
    for (int x = 0; x < image.width; ++x) {
      const uint16_t level = image.row(y)[x];
      if (mask.row(y)[x] != 0 && level <= kMaxLevel) occurs[level] = true;
    }
  }
  return std::count(occurs, occurs + kMaxLevel + 1, true) > kMany;
}

// Whether hardly two masked samples side by side are alike, and their levels are many: then runs save nothing
// and a plain histogram is quicker.
bool is_steep(ImageIn image, MaskIn mask) {
  return has_short_runs(image, mask) && has_many_levels(image, mask);
}

void c_values(ImageIn image, MaskIn mask, const CambiPlan& plan, Scratch& scratch, CValueSink& sink) {
  HWY_DASSERT(same_size(image, mask) && scratch.fits(image.width, plan));
  if (is_steep(image, mask)) return scalar::c_values(image, mask, plan, scratch, sink);
  std::fill(scratch.level_contrasts.begin(), scratch.level_contrasts.end(), 0U);
  for (int d = 1; d <= plan.num_contrasts; ++d) {
    const Contrast& contrast = plan.contrasts[static_cast<size_t>(d - 1)];
    for (int level = contrast.first_level; level <= std::min(contrast.last_level, kMaxLevel); ++level) {
      scratch.level_contrasts[static_cast<size_t>(level)] |= 1U << (d - 1);
    }
  }
  // Another plan's counts might lead beyond this plan's reciprocals.
  std::fill_n(scratch.row_counts.row(0), scratch.row_counts.width(), uint16_t{0});
  for (const Strip strip : strips_of(image.width)) {
    StripPass(image, mask, plan, scratch, strip).run(sink);
  }
}

}  // namespace vq::cambi::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::cambi, c_values)
#endif  // HWY_ONCE
