#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/cambi/c_values.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "feature/cambi/contrasts-inl.h"
#include "feature/cambi/level_rows-inl.h"
#include "feature/cambi/row_counts-inl.h"
#include "feature/cambi/stages.h"
#include "feature/cambi/window_counts-inl.h"
#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq::cambi::scalar {
namespace {

bool is_counted(uint8_t mask, uint16_t level) {
  return mask != 0 && level <= kMaxLevel;
}

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

HWY_BEFORE_NAMESPACE();
namespace vq::cambi {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::c_values;
#else

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
