#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/cambi_c_values.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <hwy/cache_control.h>

#include <algorithm>

#include "feature/cambi_contrasts-inl.h"
#include "feature/cambi_stages.h"
#include "feature/cambi_window_counts-inl.h"
#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq::cambi::scalar {
namespace {

// For every level and every column x of a strip, how many masked samples of that level the window around (x,
// current row) holds: a histogram that slides down the picture. A sample that enters or leaves counts in the
// window's width of columns.
class WindowCounts {
 public:
  WindowCounts(const CambiPlan& plan, Scratch& scratch, Strip strip)
      : counts_(scratch.window_counts), strip_(strip), reach_(plan.half_window), offset_(plan.num_contrasts) {
    for (int i = 0; i < counts_.height; ++i) std::fill_n(counts_.row(i), strip.width, uint16_t{0});
  }

  // Counts of levels -num_contrasts..kMaxLevel + num_contrasts; those outside the picture's levels stay zero.
  uint16_t* row(int level) { return counts_.row(level + offset_); }

  void add(PlaneView<const uint16_t> samples, const uint8_t* mask, int change) {
    const int begin = std::max(strip_.x - reach_, 0);
    const int end = std::min(strip_.x + strip_.width + reach_, samples.width);
    for (int x = begin; x < end; ++x) {
      if (!mask[x]) continue;
      uint16_t* counts = row(samples.data[x]);
      const int first = std::max(x - reach_ - strip_.x, 0);
      const int last = std::min(x + reach_ - strip_.x, strip_.width - 1);
      for (int k = first; k <= last; ++k) counts[k] = static_cast<uint16_t>(counts[k] + change);
    }
  }

 private:
  PlaneView<uint16_t> counts_;
  Strip strip_;
  int reach_, offset_;
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
        values[x] = mask.row(y)[column] ? c_value(counts, image.row(y)[column], x, plan) : 0.0F;
      }
      sink.tile(strip.x, y, {values, strip.width, 1, strip.width});
    }
  }
}

}  // namespace vq::cambi::scalar
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::cambi {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::c_values;
#else

constexpr int kRowsAhead = 2;
constexpr uint32_t kGroupBits = (1U << kContrastGroup) - 1;

// Levels that count for a c-value, whether as a sample's own or as one it is compared with.
LevelRange levels_in_use(const CambiPlan& plan) {
  LevelRange range{kMaxLevel + 1, -1};
  for (int d = 1; d <= plan.num_contrasts; ++d) {
    const Contrast& contrast = plan.contrasts[static_cast<size_t>(d - 1)];
    if (contrast.first_level > contrast.last_level) continue;
    range.first = std::min(range.first, std::max(contrast.first_level - d, 0));
    range.last = std::max(range.last, std::min(contrast.last_level + d, kMaxLevel));
  }
  return range;
}

// Columns from..to - 1 of a strip.
struct Columns {
  int from, to;
};

// One strip of a picture, from its first row to its last.
class StripPass {
 public:
  StripPass(ImageIn image, MaskIn mask, const CambiPlan& plan, Scratch& scratch, Strip strip)
      : image_(image),
        mask_(mask),
        plan_(plan),
        scratch_(scratch),
        strip_(strip),
        begin_(std::max(strip.x - plan.half_window, 0)),
        reached_(std::min(strip.x + strip.width + plan.half_window, image.width) - begin_),
        levels_(levels_in_use(plan)),
        counts_(plan, scratch, strip, strip.x - begin_) {
    nothing_[1].start = static_cast<uint16_t>(reached_);
  }

  void run(CValueSink& sink) {
    const int reach = plan_.half_window;
    for (int y = 0; y < std::min(reach, image_.height); ++y) counts_.move(enter(y), nothing_, reached_);
    for (int y = 0; y < image_.height; y += kTileRows) {
      const int rows = std::min(kTileRows, image_.height - y);
      const CValues tile = scratch_.tile.view(strip_.width, rows);
      for (int i = 0; i < rows; ++i) {
        slide(y + i);
        c_value_row(y + i, tile.row(i));
      }
      sink.tile(strip_.x, y, tile);
    }
  }

 private:
  Run* runs_of(int y) { return reinterpret_cast<Run*>(scratch_.runs.row(y % (plan_.window + 1))); }

  void slide(int y) {
    const int in = y + plan_.half_window, out = y - plan_.half_window - 1;
    const Run* leaving = out >= 0 ? runs_of(out) : nothing_;
    counts_.move(in < image_.height ? enter(in) : nothing_, leaving, reached_);
  }

  const Run* enter(int y);
  void prefetch_row(int y) const;
  void mark_levels(int y, uint16_t* levels) const;
  void c_value_row(int y, float* values);
  template <int kCount>
  void weigh(const RowCounts& counts, bool first_group, float* values) const;
  void gather(int y, int first_contrast);

  const ImageIn image_;
  const MaskIn mask_;
  const CambiPlan& plan_;
  Scratch& scratch_;
  const Strip strip_;
  const int begin_, reached_;  // the columns in reach of the strip's windows
  const LevelRange levels_;
  WindowCounts counts_;
  Run nothing_[2];  // a row without masked samples
};

// A strip's rows lie on different pages, over which the processor does not look ahead by itself.
void StripPass::prefetch_row(int y) const {
  constexpr int kLine = 64;
  if (y >= image_.height) return;
  const uint16_t* samples = image_.row(y) + begin_;
  const uint8_t* mask = mask_.row(y) + begin_;
  for (int x = 0; x < reached_; x += kLine / 2) hwy::Prefetch(samples + x);
  for (int x = 0; x < reached_; x += kLine) hwy::Prefetch(mask + x);
}

// Levels of row y that count, kNoLevel elsewhere.
void StripPass::mark_levels(int y, uint16_t* levels) const {
  const U16 u;
  const hn::Rebind<uint8_t, U16> b;
  const int step = static_cast<int>(hn::Lanes(u));
  const uint16_t* samples = image_.row(y) + begin_;
  const uint8_t* mask = mask_.row(y) + begin_;
  prefetch_row(y + kRowsAhead);
  const auto none = hn::Set(u, kNoLevel);
  const auto lowest = hn::Set(u, static_cast<uint16_t>(levels_.first));
  const auto span = hn::Set(u, static_cast<uint16_t>(std::max(levels_.last - levels_.first, 0)));
  for (int x = 0; x < reached_; x += step) {
    const auto sample = hn::LoadU(u, samples + x);
    const auto above = hn::Sub(sample, lowest);
    const auto in_range = hn::Eq(hn::Min(above, span), above);
    const auto masked = hn::Ne(hn::PromoteTo(u, hn::LoadU(b, mask + x)), hn::Zero(u));
    hn::StoreU(hn::IfThenElse(hn::And(in_range, masked), sample, none), u, levels + x);
  }
}

// Row y as runs.
const Run* StripPass::enter(int y) {
  const U16 u;
  const int step = static_cast<int>(hn::Lanes(u));
  uint16_t* levels = scratch_.rows.row(0);
  mark_levels(y, levels);
  uint64_t starts[(kStripColumns + kMaxWindow) / 64 + 2];
  uint8_t* bytes = reinterpret_cast<uint8_t*>(starts);
  for (int x = 0; x < reached_; x += step) {
    bytes += hn::StoreMaskBits(u, hn::Ne(hn::LoadU(u, levels + x), hn::LoadU(u, levels + x - 1)), bytes);
  }
  starts[0] |= 1;
  const int words = (reached_ + 63) / 64;
  starts[words - 1] &= ~uint64_t{0} >> (words * 64 - reached_);
  Run* const first = runs_of(y);
  Run* run = first;
  for (int i = 0; i < words; ++i) {
    for (uint64_t bits = starts[i]; bits != 0; bits &= bits - 1) {
      const size_t x = static_cast<size_t>(i) * 64 + hwy::Num0BitsBelowLS1Bit_Nonzero64(bits);
      *run++ = {static_cast<uint16_t>(x), levels[x]};
    }
  }
  *run = {static_cast<uint16_t>(reached_), kNoLevel};
  return first;
}

// Where the counts of a run come from and go to.
struct RunCounts {
  const uint16_t* own;     // of the run's level
  const int32_t* samples;  // [d]: of the level d above the run's
  ptrdiff_t stride;        // from a level's counts to the next's
  uint16_t* out;           // rows of own and other counts
  ptrdiff_t out_stride;
};

// N of the run's level and P of each contrast in `contrasts`, whose lowest bit stands for `first` + 1. Stores
// whole vectors from left to right: what one leaves beyond its run are zeros, over which the next run writes.
HWY_INLINE void gather_run(const RunCounts& counts, Columns run, int first, uint32_t contrasts) {
  const U16 u;
  const int step = static_cast<int>(hn::Lanes(u));
  for (int x = run.from; x < run.to; x += step) {
    const auto in_run = hn::FirstN(u, static_cast<size_t>(run.to - x));
    hn::StoreU(hn::IfThenElseZero(in_run, hn::LoadU(u, counts.own + x)), u, counts.out + x);
    for (uint32_t bits = contrasts; bits != 0; bits &= bits - 1) {
      const ptrdiff_t i = static_cast<ptrdiff_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(bits));
      const ptrdiff_t d = first + i + 1;
      const bool has_upper = counts.samples[d] > 0, has_lower = counts.samples[-d] > 0;
      if (!has_upper && !has_lower) continue;
      const ptrdiff_t upper = has_upper ? d : -d, lower = has_lower ? -d : d;
      const auto other = hn::Max(hn::LoadU(u, counts.own + upper * counts.stride + x),
                                 hn::LoadU(u, counts.own + lower * counts.stride + x));
      hn::StoreU(hn::IfThenElseZero(in_run, other), u, counts.out + (1 + i) * counts.out_stride + x);
    }
  }
}

// The counts of row y for a group of contrasts. Where none counts they stay zero.
void StripPass::gather(int y, int first_contrast) {
  const int count = std::min(plan_.num_contrasts, kContrastGroup);
  for (int i = 0; i < count; ++i) std::fill_n(scratch_.row_counts.row(1 + i), strip_.width, uint16_t{0});
  const int left = strip_.x - begin_, width = strip_.width;
  const uint32_t* level_contrasts = scratch_.level_contrasts.data();
  RunCounts counts{nullptr, nullptr, counts_.stride(), scratch_.row_counts.row(0),
                   scratch_.row_counts.view().stride};
  const uint16_t* const first_row = counts_.row(0);
  const int32_t* const samples = counts_.samples();
  for (const Run* run = runs_of(y); run->start < left + width; ++run) {
    if (run->level == kNoLevel) continue;
    const uint32_t contrasts = (level_contrasts[run->level] >> first_contrast) & kGroupBits;
    const Columns columns{std::max(run->start - left, 0), std::min(run[1].start - left, width)};
    if (contrasts == 0 || columns.from >= columns.to) continue;
    counts.own = first_row + counts.stride * run->level;
    counts.samples = samples + run->level;
    gather_run(counts, columns, first_contrast, contrasts);
  }
}

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
    } else if (!hn::AllTrue(u, hn::Eq(hn::Load(u, counts.other[kCount - 1] + x), hn::Zero(u)))) {
      low = weigher.largest<kCount - 1, kCount>(x);
      high = weigher.largest<kCount - 1, kCount>(x + step);
    }
    if (!first_group) {
      low = hn::Max(low, hn::Load(f, values + x));
      high = hn::Max(high, hn::Load(f, values + x + step));
    }
    hn::Store(low, f, values + x);
    hn::Store(high, f, values + x + step);
  }
}

void StripPass::c_value_row(int y, float* values) {
  for (int first = 0; first < plan_.num_contrasts; first += kContrastGroup) {
    gather(y, first);
    RowCounts counts;
    counts.own = scratch_.row_counts.row(0);
    const int count = std::min(plan_.num_contrasts, kContrastGroup);
    for (int i = 0; i < count; ++i) {
      counts.other[i] = scratch_.row_counts.row(1 + i);
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

void c_values(ImageIn image, MaskIn mask, const CambiPlan& plan, Scratch& scratch, CValueSink& sink) {
  std::fill(scratch.level_contrasts.begin(), scratch.level_contrasts.end(), 0U);
  for (int d = 1; d <= plan.num_contrasts; ++d) {
    const Contrast& contrast = plan.contrasts[static_cast<size_t>(d - 1)];
    for (int level = contrast.first_level; level <= std::min(contrast.last_level, kMaxLevel); ++level) {
      scratch.level_contrasts[static_cast<size_t>(level)] |= 1U << (d - 1);
    }
  }
  // Another plan's counts might lead beyond this plan's reciprocals.
  uint16_t* own = scratch.row_counts.row(0);
  std::fill_n(own, scratch.row_counts.width(), uint16_t{0});
  for (const Strip strip : strips_of(image.width)) {
    StripPass(image, mask, plan, scratch, strip).run(sink);
  }
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::cambi
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vq::cambi {
HWY_EXPORT(c_values);

decltype(CambiStages::c_values) simd::c_values_for(int64_t target) {
  return for_target(HWY_DISPATCH_TABLE(c_values), target);
}

}  // namespace vq::cambi
#endif  // HWY_ONCE
