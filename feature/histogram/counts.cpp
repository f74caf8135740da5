#define HWY_TARGET_INCLUDE "feature/histogram/counts.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/histogram/histogram.h"

#ifndef VQ_HISTOGRAM_COUNTS_ONCE
#define VQ_HISTOGRAM_COUNTS_ONCE
namespace vq::histogram {

// The luminance of BT.709 in units of 1/10000.
constexpr uint32_t kRedWeight = 2126, kGreenWeight = 7152, kBlueWeight = 722, kWeights = 10000;

template <typename T>
using Views = std::array<PlaneView<const T>, kMaxPlanes>;

// Calls `count` with the planes as views of the type that they have.
template <typename Count>
static void for_sample_type(const YcbcrPlanes& planes, const Count& count) {
  const auto& [luma, cb, cr] = planes;
  luma.is_u8() ? count(Views<uint8_t>{luma.u8, cb.u8, cr.u8})
               : count(Views<uint16_t>{luma.u16, cb.u16, cr.u16});
}

static uint32_t rounded(int32_t sum, int32_t peak) {
  return static_cast<uint32_t>(std::clamp((sum + (1 << (kFractionBits - 1))) >> kFractionBits, 0, peak));
}

static std::array<uint32_t, kMaxChannels> to_rgb(const RgbConstants& k,
                                                 const std::array<int32_t, kMaxPlanes>& ycbcr) {
  const int32_t luma = k.luma_scale * (ycbcr[0] - k.luma_offset);
  const int32_t cb = ycbcr[1] - k.chroma_offset, cr = ycbcr[2] - k.chroma_offset;
  const uint32_t r = rounded(luma + k.cr_to_r * cr, k.peak);
  const uint32_t g = rounded(luma + k.cb_to_g * cb + k.cr_to_g * cr, k.peak);
  const uint32_t b = rounded(luma + k.cb_to_b * cb, k.peak);
  return {r, g, b, (kRedWeight * r + kGreenWeight * g + kBlueWeight * b) / kWeights};
}

static void count(uint32_t value, const BinRule& rule, ChannelCounts& counts) {
  ++counts.bins[bin_of(rule, value)];
  counts.min = std::min(counts.min, value);
  counts.max = std::max(counts.max, value);
}

template <typename T>
static void count_samples(const Views<T>& planes, const RgbRule& rule, RgbCounts& counts) {
  const auto& [luma, cb, cr] = planes;
  for (int y = 0; y < luma.height; ++y) {
    const T* const luma_row = luma.row(y);
    const T* const cb_row = cb.row(y >> rule.shifts.y);
    const T* const cr_row = cr.row(y >> rule.shifts.y);
    for (int x = 0; x < luma.width; ++x) {
      const int chroma_x = x >> rule.shifts.x;
      const auto rgb = to_rgb(rule.constants, {luma_row[x], cb_row[chroma_x], cr_row[chroma_x]});
      for (size_t i = 0; i < counts.size(); ++i) count(rgb[i], rule.bins, counts[i]);
    }
  }
}

void scalar::count_rgb(const YcbcrPlanes& planes, const RgbRule& rule, RgbCounts& counts) {
  for_sample_type(planes, [&](const auto& views) { count_samples(views, rule, counts); });
}

template <typename T>
static void count_samples(const PlaneView<const T>& plane, const BinRule& rule, ChannelCounts& counts) {
  for (int y = 0; y < plane.height; ++y) {
    const T* const row = plane.row(y);
    for (int x = 0; x < plane.width; ++x) {
      const uint32_t value = row[x];
      ++counts.bins[bin_of(rule, value)];
      counts.min = std::min(counts.min, value);
      counts.max = std::max(counts.max, value);
    }
  }
}

void scalar::count_plane(const SampleView& plane, const BinRule& rule, ChannelCounts& counts) {
  plane.is_u8() ? count_samples(plane.u8, rule, counts) : count_samples(plane.u16, rule, counts);
}

}  // namespace vq::histogram
#endif  // VQ_HISTOGRAM_COUNTS_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::histogram::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Counts the code values of one channel.

using U16 = hn::ScalableTag<uint16_t>;

// Maximum number of values that are counted at once.
inline constexpr size_t kRun = 512;

// Neighbouring samples are often equal, and a counter that was just written cannot be read for some cycles.
// So neighbours are counted in separate tables, four for up to 12 bits, which are summed at the end. More
// bins are counted in the final table, since several would not fit a second-level cache.
class ValueCounts {
 public:
  // The counts outlive this.
  ValueCounts(const BinRule& rule, ChannelCounts& counts) : rule_(rule), counts_(counts) {
    copies_ = std::min(kMostCopies, kTableWords / rule.bins);
    if (copies_ > 0) std::fill_n(words_.begin(), copies_ * rule.bins, 0U);
    for (size_t i = 0; i < kMostCopies; ++i) {
      tables_[i] = copies_ > 0 ? words_.data() + i % copies_ * rule.bins : counts.bins;
    }
    min_.fill(UINT16_MAX);
    max_.fill(0);
  }

  // Needs: `count` is at most kRun, and a multiple of a vector's lanes.
  void add(const uint16_t* values, size_t count) {
    const U16 d;
    const int shift = static_cast<int>(rule_.shift);
    const auto last = hn::Set(d, static_cast<uint16_t>(rule_.bins - 1));
    alignas(64) std::array<uint16_t, kRun> bins;
    auto min = hn::LoadU(d, min_.data()), max = hn::LoadU(d, max_.data());
    for (size_t i = 0; i < count; i += hn::Lanes(d)) {
      const auto value = hn::LoadU(d, values + i);
      min = hn::Min(min, value);
      max = hn::Max(max, value);
      hn::StoreU(hn::Min(hn::ShiftRightSame(value, shift), last), d, bins.data() + i);
    }
    hn::StoreU(min, d, min_.data());
    hn::StoreU(max, d, max_.data());
    count_bins(bins.data(), count);
  }

  // 8-bit values, which are their own bins. Needs: bins for 8 bits.
  void add(const uint8_t* values, size_t count) { count_bins(values, count); }

  // To be called once, at the end. For bytes the range is derived from the bins.
  void finish(bool are_bytes) {
    for (uint32_t bin = 0; copies_ > 0 && bin < rule_.bins; ++bin) {
      uint32_t total = 0;
      for (size_t i = 0; i < copies_; ++i) total += tables_[i][bin];
      counts_.bins[bin] += total;
      if (are_bytes && total > 0) widen(bin, bin);
    }
    if (are_bytes) return;
    for (size_t i = 0; i < hn::Lanes(U16()); ++i) widen(min_[i], max_[i]);
  }

 private:
  static constexpr size_t kMostCopies = 4, kTableWords = 16384, kMostLanes = 32;

  template <typename T>
  void count_bins(const T* bins, size_t count) {
    size_t i = 0;
    for (; i + kMostCopies <= count; i += kMostCopies) {
      ++tables_[0][bins[i]];
      ++tables_[1][bins[i + 1]];
      ++tables_[2][bins[i + 2]];
      ++tables_[3][bins[i + 3]];
    }
    for (; i < count; ++i) ++tables_[0][bins[i]];
  }

  void widen(uint32_t min, uint32_t max) {
    counts_.min = std::min(counts_.min, min);
    counts_.max = std::max(counts_.max, max);
  }

  const BinRule rule_;
  ChannelCounts& counts_;
  size_t copies_ = 0;  // 0: there is no room for any
  std::array<uint32_t*, kMostCopies> tables_;
  std::array<uint16_t, kMostLanes> min_, max_;
  std::array<uint32_t, kTableWords> words_;
};

void count_bytes(const PlaneView<const uint8_t>& plane, const BinRule& rule, ChannelCounts& counts) {
  ValueCounts values(rule, counts);
  for (int y = 0; y < plane.height; ++y) values.add(plane.row(y), static_cast<size_t>(plane.width));
  values.finish(true);
}

// The columns that fill vectors; the rest is left to scalar.
void count_words(const PlaneView<const uint16_t>& plane, const BinRule& rule, ChannelCounts& counts) {
  const int lanes = static_cast<int>(hn::Lanes(U16())), whole = plane.width / lanes * lanes;
  ValueCounts values(rule, counts);
  for (int y = 0; y < plane.height; ++y) {
    for (int x = 0; x < whole; x += static_cast<int>(kRun)) {
      values.add(plane.row(y) + x, static_cast<size_t>(std::min(static_cast<int>(kRun), whole - x)));
    }
  }
  values.finish(false);
  SampleView rest;
  rest.u16 = {plane.data + whole, plane.width - whole, plane.height, plane.stride};
  if (whole < plane.width) scalar::count_plane(rest, rule, counts);
}

void count_plane(const SampleView& plane, const BinRule& rule, ChannelCounts& counts) {
  plane.is_u8() ? count_bytes(plane.u8, rule, counts) : count_words(plane.u16, rule, counts);
}

using S32 = hn::ScalableTag<int32_t>;
using V32 = hn::VFromD<S32>;
using HalfU16 = hn::Rebind<uint16_t, S32>;
using Run = std::array<uint16_t, kRun>;

template <typename T>
HWY_INLINE V32 widened(const T* in) {
  return hn::PromoteTo(S32(), hn::LoadU(hn::Rebind<T, S32>(), in));
}

// Chroma for so many samples of luma, each repeated as often as it covers some.
template <typename T>
void expand(const T* in, int shift, size_t count, uint16_t* out) {
  const U16 d;
  size_t x = 0;
  const auto load = [&](size_t at) HWY_ATTR {
    if constexpr (sizeof(T) == 1) {
      return hn::PromoteTo(d, hn::LoadU(hn::Rebind<uint8_t, U16>(), in + at));
    } else {
      return hn::LoadU(d, in + at);
    }
  };
  const size_t step = hn::Lanes(d) << shift;
  for (; shift < 2 && x + step <= count; x += step) {
    const auto samples = load(x >> shift);
    shift == 0 ? hn::StoreU(samples, d, out + x) : hn::StoreInterleaved2(samples, samples, d, out + x);
  }
  for (; x < count; ++x) out[x] = in[x >> shift];
}

HWY_INLINE V32 rounded(V32 sum, V32 peak) {
  const S32 d;
  const V32 value = hn::ShiftRight<kFractionBits>(hn::Add(sum, hn::Set(d, 1 << (kFractionBits - 1))));
  return hn::Min(hn::Max(value, hn::Zero(d)), peak);
}

// Rounded down: the estimate is off by one at most, for sums below 2^30.
HWY_INLINE V32 luminance(V32 r, V32 g, V32 b) {
  const S32 d;
  const hn::Rebind<float, S32> f;
  const auto weighted = [&](V32 v, uint32_t weight)
                            HWY_ATTR { return hn::Mul(v, hn::Set(d, static_cast<int32_t>(weight))); };
  const V32 sum =
      hn::Add(hn::Add(weighted(r, kRedWeight), weighted(g, kGreenWeight)), weighted(b, kBlueWeight));
  const V32 divisor = hn::Set(d, static_cast<int32_t>(kWeights)), one = hn::Set(d, 1);
  const V32 estimate = hn::ConvertTo(d, hn::Mul(hn::ConvertTo(f, sum), hn::Set(f, 1.0F / kWeights)));
  const V32 rest = hn::Sub(sum, hn::Mul(estimate, divisor));
  const V32 less = hn::IfThenElseZero(hn::Lt(rest, hn::Zero(d)), one);
  const V32 more = hn::IfThenElseZero(hn::Lt(rest, divisor), one);
  return hn::Sub(hn::Add(estimate, hn::Sub(one, more)), less);
}

// R, G, B and luminance of so many samples, a multiple of a vector's lanes.
template <typename T>
void convert(const T* luma, const std::array<Run, 2>& chroma, size_t count, const RgbConstants& k,
             std::array<Run, kMaxChannels>& out) {
  const S32 d;
  const HalfU16 d16;
  const V32 luma_offset = hn::Set(d, k.luma_offset), chroma_offset = hn::Set(d, k.chroma_offset),
            peak = hn::Set(d, k.peak);
  const auto times = [&](V32 v, int32_t factor) HWY_ATTR { return hn::Mul(v, hn::Set(d, factor)); };
  for (size_t x = 0; x < count; x += hn::Lanes(d)) {
    const V32 y = times(hn::Sub(widened(luma + x), luma_offset), k.luma_scale);
    const V32 cb = hn::Sub(widened(chroma[0].data() + x), chroma_offset);
    const V32 cr = hn::Sub(widened(chroma[1].data() + x), chroma_offset);
    const V32 r = rounded(hn::Add(y, times(cr, k.cr_to_r)), peak);
    const V32 g = rounded(hn::Add(hn::Add(y, times(cb, k.cb_to_g)), times(cr, k.cr_to_g)), peak);
    const V32 b = rounded(hn::Add(y, times(cb, k.cb_to_b)), peak);
    hn::StoreU(hn::DemoteTo(d16, r), d16, out[0].data() + x);
    hn::StoreU(hn::DemoteTo(d16, g), d16, out[1].data() + x);
    hn::StoreU(hn::DemoteTo(d16, b), d16, out[2].data() + x);
    hn::StoreU(hn::DemoteTo(d16, luminance(r, g, b)), d16, out[3].data() + x);
  }
}

// The first `columns` of a row of luma.
template <typename T>
void count_row(const Views<T>& planes, int y, int columns, const RgbRule& rule,
               std::array<ValueCounts, kMaxChannels>& values) {
  alignas(64) std::array<Run, 2> chroma;
  alignas(64) std::array<Run, kMaxChannels> rgb;
  for (int x = 0; x < columns; x += static_cast<int>(kRun)) {
    const auto count = static_cast<size_t>(std::min(static_cast<int>(kRun), columns - x));
    for (size_t i = 0; i < chroma.size(); ++i) {
      const T* const row = planes[i + 1].row(y >> rule.shifts.y) + (x >> rule.shifts.x);
      expand(row, rule.shifts.x, count, chroma[i].data());
    }
    convert(planes[0].row(y) + x, chroma, count, rule.constants, rgb);
    for (size_t i = 0; i < values.size(); ++i) values[i].add(rgb[i].data(), count);
  }
}

// The columns from x on, a multiple of what a sample of chroma covers.
template <typename T>
Views<T> columns_from(const Views<T>& planes, int x, ChromaShifts shifts) {
  Views<T> rest = planes;
  for (size_t i = 0; i < rest.size(); ++i) {
    const int skipped = i == 0 ? x : x >> shifts.x;
    rest[i].data += skipped;
    rest[i].width -= skipped;
  }
  return rest;
}

// The columns that fill vectors; the rest is left to scalar.
void count_rgb(const YcbcrPlanes& planes, const RgbRule& rule, RgbCounts& counts) {
  for_sample_type(planes, [&](const auto& views) HWY_ATTR {
    const int lanes = static_cast<int>(hn::Lanes(U16())), whole = views[0].width / lanes * lanes;
    auto& [r, g, b, l] = counts;
    const BinRule& bins = rule.bins;
    std::array<ValueCounts, kMaxChannels> values = {ValueCounts(bins, r), ValueCounts(bins, g),
                                                    ValueCounts(bins, b), ValueCounts(bins, l)};
    for (int y = 0; y < views[0].height; ++y) count_row(views, y, whole, rule, values);
    for (ValueCounts& channel : values) channel.finish(false);
    if (whole < views[0].width) count_samples(columns_from(views, whole, rule.shifts), rule, counts);
  });
}

}  // namespace vq::histogram::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::histogram, count_plane, count_rgb)
#endif  // HWY_ONCE
