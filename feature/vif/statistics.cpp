#define HWY_TARGET_INCLUDE "feature/vif/statistics.cpp"
#include <hwy/foreach_target.h>

#include "feature/vif/vif.h"
#include "feature/words/sums-inl.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::vif::HWY_NAMESPACE {
// Filtered samples and filtered products of them.

using namespace vq::HWY_NAMESPACE;

// The rows of words of one row of a band.
inline constexpr int kWordRows = 8;

// Columns from `first` to `end`, in whole vectors.
struct Part {
  int first = 0, end = 0;
};

// Calls at(x) for the vectors of a part; one that would reach beyond the row begins earlier, and overlaps the
// one before. Loops are within the functions below, so that their taps stay in registers. Needs: at least as
// many words as a vector has, or a row with guards.
template <class At>
HWY_INLINE void for_part(Part part, int width, const At& at) {
  const int step = static_cast<int>(hn::Lanes(U16())), last = std::max(width - step, 0);
  for (int x = part.first; x < part.end; x += step) at(std::min(x, last));
}

// The filtered samples of a part, rounded to 16 bits and biased, for a band: each in the row `word_row` of
// its row's words.
template <int kScale, int kStep, typename T>
HWY_NOINLINE HWY_FLATTEN void mean_band(const Columns<T>& rows, Part part, int width, int shift, int word_row,
                                        Plane<uint16_t>& words) {
  for_part(part, width, [&](int x) HWY_ATTR {
    sum_band<kFilters[kScale], kStep>(
        kBias + (uint32_t{1} << (shift - 1)),
        [&](int k) HWY_ATTR { return biased(load(rows[static_cast<size_t>(k)] + x)); },
        [&](int i, hn::VFromD<U32> lower, hn::VFromD<U32> upper) HWY_ATTR {
          hn::VFromD<U16> low, high;
          split(hn::ShiftRightSame(lower, shift), hn::ShiftRightSame(upper, shift), low, high);
          hn::StoreU(biased(low), U16(), words.row(kWordRows * i + word_row) + x);
        });
  });
}

HWY_INLINE void store_halves(hn::VFromD<U32> lower, hn::VFromD<U32> upper, uint16_t* low, uint16_t* high) {
  hn::VFromD<U16> low_words, high_words;
  split(lower, upper, low_words, high_words);
  hn::StoreU(biased(low_words), U16(), low);
  hn::StoreU(biased(high_words), U16(), high);
}

// Filtered products of a part, shifted right with rounding: the lower and the upper halves of these 32 bits,
// biased, in two rows from `word_row` on. Products of bytes fit 16 bits; the halves of others are summed
// apart.
template <int kScale, typename T>
HWY_NOINLINE HWY_FLATTEN void product_band(const Columns<T>& r, const Columns<T>& d, Part part, int width,
                                           int shift, int word_row, Plane<uint16_t>& words) {
  const U32 d32;
  const size_t lanes = hn::Lanes(d32);
  const uint32_t half_unit = (uint32_t{1} << shift) >> 1;
  // Remainders of the lower halves of products, in the order of sum_band().
  alignas(kRowGuardBytes) uint32_t rest[2 * kBandRows * kRowGuardBytes / sizeof(uint32_t)];
  for_part(part, width, [&](int x) HWY_ATTR {
    const auto at = [x](const Columns<T>& rows, int k)
                        HWY_ATTR { return load(rows[static_cast<size_t>(k)] + x); };
    const auto out = [&](int i, int half) { return words.row(kWordRows * i + word_row + half) + x; };
    sum_band<kFilters[kScale], 1>(
        kBias + half_unit, [&](int k) HWY_ATTR { return biased(hn::Mul(at(r, k), at(d, k))); },
        [&](int i, hn::VFromD<U32> lower, hn::VFromD<U32> upper) HWY_ATTR {
          if constexpr (sizeof(T) == 1) {
            store_halves(lower, upper, out(i, 0), out(i, 1));
          } else {
            uint32_t* const low = rest + 2 * static_cast<size_t>(i) * lanes;
            hn::Store(hn::ShiftRightSame(lower, shift), d32, low);
            hn::Store(hn::ShiftRightSame(upper, shift), d32, low + lanes);
          }
        });
    if constexpr (sizeof(T) > 1) {
      sum_band<kFilters[kScale], 1>(
          kBias, [&](int k) HWY_ATTR { return biased(hn::MulHigh(at(r, k), at(d, k))); },
          [&](int i, hn::VFromD<U32> lower, hn::VFromD<U32> upper) HWY_ATTR {
            const uint32_t* const low = rest + 2 * static_cast<size_t>(i) * lanes;
            store_halves(hn::Add(hn::ShiftLeftSame(lower, 16 - shift), hn::Load(d32, low)),
                         hn::Add(hn::ShiftLeftSame(upper, 16 - shift), hn::Load(d32, low + lanes)), out(i, 0),
                         out(i, 1));
          });
    }
  });
}

// The horizontal sums of `count` filtered samples: those at the even places of each vector of words, then
// those at its odd places.
template <int kScale>
HWY_NOINLINE void filter_means(const uint16_t* words, int count, uint32_t* out) {
  const int lanes = static_cast<int>(hn::Lanes(U32()));
  for (int x = 0; x < count; x += 2 * lanes) {
    hn::VFromD<U32> even, odd;
    sum_neighbours<kFilters[kScale]>(words + x, kBias, even, odd);
    hn::Store(even, U32(), out + x);
    hn::Store(odd, U32(), out + x + lanes);
  }
}

// The same of 32-bit numbers in rows of biased halves, shifted right by 16 with rounding.
template <int kScale>
HWY_NOINLINE void filter_halves(const uint16_t* low, const uint16_t* high, int count, uint32_t* out) {
  const int lanes = static_cast<int>(hn::Lanes(U32()));
  for (int x = 0; x < count; x += 2 * lanes) {
    hn::VFromD<U32> even, odd, even_low, odd_low;
    sum_neighbours<kFilters[kScale]>(low + x, kBias + 0x8000, even_low, odd_low);
    sum_neighbours<kFilters[kScale]>(high + x, kBias, even, odd);
    hn::Store(hn::Add(even, hn::ShiftRight<16>(even_low)), U32(), out + x);
    hn::Store(hn::Add(odd, hn::ShiftRight<16>(odd_low)), U32(), out + x + lanes);
  }
}

// a * b shifted right by 32 with rounding.
HWY_INLINE hn::VFromD<U32> upper_product(hn::VFromD<U32> a, hn::VFromD<U32> b) {
  const auto half = hn::Set(U64(), uint64_t{1} << 31);
  const auto upper = [](hn::VFromD<U32> v)
                         HWY_ATTR { return hn::BitCast(U32(), hn::ShiftRight<32>(hn::BitCast(U64(), v))); };
  const auto even = hn::Add(hn::MulEven(a, b), half), odd = hn::Add(hn::MulEven(upper(a), upper(b)), half);
  return hn::OddEven(hn::BitCast(U32(), odd), hn::BitCast(U32(), hn::ShiftRight<32>(even)));
}

// A second moment less the product of two means: a central moment.
HWY_INLINE hn::VFromD<S32> central(hn::VFromD<U32> moment, hn::VFromD<U32> a, hn::VFromD<U32> b) {
  return hn::BitCast(S32(), hn::Sub(moment, upper_product(a, b)));
}

template <int kScale>
HWY_INLINE void decimate_row(const uint16_t* row, int width, uint16_t* out) {
  const hn::Half<U16> half;
  for (int x = 0; x < width; x += static_cast<int>(hn::Lanes(U16()))) {
    hn::VFromD<U32> even, odd;
    sum_neighbours<kFilters[kScale]>(row + x, kBias + 0x8000, even, odd);
    hn::StoreU(hn::DemoteTo(half, hn::BitCast(S32(), hn::ShiftRight<16>(even))), half, out + x / 2);
  }
}

// Rows of which nobody asks are left out, and sums for odd columns with them: nothing uses these.
template <int kScale, typename T>
void decimate_plane(PlaneView<const T> in, const Scale& scale, PlaneView<uint16_t> out, Rows& rows) {
  constexpr int kRadius = kFilters[kScale].radius;
  const int shift = sample_shift(scale);
  for (int y = 0; y < out.height; ++y) {
    uint16_t* const means = rows.words.row(kWordRows * (y % kBandRows));
    if (y % kBandRows == 0) {
      const Columns<T> columns = columns_at(in, 2 * y, kRadius);
      mean_band<kScale, 2>(columns, {0, in.width}, in.width, shift, 0, rows.words);
    }
    reflect_ends(means, in.width, kRadius);
    decimate_row<kScale>(means, in.width, out.row(y));
  }
}

void decimate(const SampleView& in, const Scale& scale, PlaneView<uint16_t> out, Rows& rows) {
  if (in.is_u8()) return decimate_plane<1>(in.u8, scale, out, rows);
  switch (scale.index) {
    case 0:
      return decimate_plane<1>(in.u16, scale, out, rows);
    case 1:
      return decimate_plane<2>(in.u16, scale, out, rows);
    default:
      return decimate_plane<3>(in.u16, scale, out, rows);
  }
}

// Statistics of the samples' moments: sums of logarithms.

using I32 = S32;
using I32Half = hn::Half<I32>;
using F32 = hn::Repartition<float, I32>;
using F64 = hn::Repartition<double, I32>;
using I64 = hn::Repartition<int64_t, I32>;

inline constexpr int32_t kNoise = 131072;  // the variance of visual noise, 2, with 16 fractional bits
inline constexpr int32_t kLogOfNoise = 2048 * 17;

// Logarithms without a table in memory, which takes a load for each sample. A mantissa m of 16 bits is in one
// of eight parts of its octave. Each part has a number r of 5 bits near the reciprocal of its middle, so that
// u = m * r - 1 is exact, and 2048 log2(m) is -2048 log2(r) and a polynomial of u. Both have 14 fractional
// bits: no logarithm is nearer than their errors to where rounding changes.
inline constexpr int kLogDigits = 14;
inline constexpr float kDigitsInFloat = 768;  // numbers from 512 to 1024 end with these digits

// As many as the longest vector has.
template <typename T>
struct OfParts {
  alignas(kRowGuardBytes) T at[kRowGuardBytes / sizeof(T)] = {};
};
inline constexpr OfParts<float> kReciprocals = {
    {30 / 32.0F, 27 / 32.0F, 24 / 32.0F, 22 / 32.0F, 20 / 32.0F, 19 / 32.0F, 18 / 32.0F, 16 / 32.0F}};

// -2048 log2(r), a half for rounding, and less what the bits of floats add: exponents 127, and the sum.
constexpr int32_t log_of_part(uint32_t digits) {
  return static_cast<int32_t>(digits - (127U << (kLogDigits + 11)) - std::bit_cast<uint32_t>(kDigitsInFloat));
}
inline constexpr OfParts<int32_t> kLogs = {
    {log_of_part(3132441), log_of_part(8232819), log_of_part(13934550), log_of_part(18146670),
     log_of_part(22760530), log_of_part(25243573), log_of_part(27860905), log_of_part(33562642)}};

template <class D, typename T = hn::TFromD<D> >
HWY_INLINE hn::VFromD<D> of_part(D d, const OfParts<T>& parts, hn::VFromD<I32> part) {
  if (hn::Lanes(d) >= 8) return hn::TableLookupLanes(hn::Load(d, parts.at), hn::IndicesFromVec(d, part));
  const auto last = hn::Set(I32(), 3);
  const auto place = hn::IndicesFromVec(d, hn::And(part, last));
  return hn::IfThenElse(hn::RebindMask(d, hn::Gt(part, last)),
                        hn::TableLookupLanes(hn::Load(d, parts.at + 4), place),
                        hn::TableLookupLanes(hn::Load(d, parts.at), place));
}

// LogTable::log2() of numbers from 2^15 to 2^31.
HWY_INLINE hn::VFromD<I32> log2(hn::VFromD<I32> v) {
  const I32 d;
  const F32 f;
  // Without the bit below the 16 highest, and some behind it, so that no float is rounded up into those.
  const auto cut = hn::AndNot(hn::ShiftRight<16>(v), v);
  const auto bits = hn::BitCast(d, hn::ConvertTo(f, cut));
  const auto part = hn::And(hn::ShiftRight<20>(bits), hn::Set(d, 7));
  const auto m = hn::OrAnd(hn::Set(d, 0x3F800000), bits, hn::Set(d, 0x007FFF00));
  const auto u = hn::MulSub(hn::BitCast(f, m), of_part(f, kReciprocals, part), hn::Set(f, 1));
  auto sum = hn::MulAdd(u, hn::Set(f, -735.385681F), hn::Set(f, 987.933411F));
  sum = hn::MulAdd(u, sum, hn::Set(f, -1477.33228F));
  sum = hn::MulAdd(u, sum, hn::Set(f, 2954.63623F));
  sum = hn::MulAdd(u, sum, hn::Set(f, kDigitsInFloat));
  const auto octaves = hn::ShiftLeft<kLogDigits + 11 - 23>(hn::And(bits, hn::Set(d, 0x7F800000)));
  const auto log = hn::Add(hn::Add(octaves, of_part(d, kLogs, part)), hn::BitCast(d, sum));
  return hn::ShiftRight<kLogDigits>(log);
}

// The double operations in the order of the reference implementation, for the moments of half a vector:
// variance of the noise, and of that and the explained part.
HWY_INLINE void explain(hn::VFromD<I32Half> v1, hn::VFromD<I32Half> v2, hn::VFromD<I32Half> v12, double limit,
                        hn::VFromD<I32Half>& residual, hn::VFromD<I32Half>& explained) {
  const F64 d;
  const auto variance = hn::PromoteTo(d, v1), covariance = hn::PromoteTo(d, v12);
  const auto gain = hn::Div(covariance, hn::Add(variance, hn::Set(d, kEpsilon)));
  residual = hn::DemoteTo(I32Half(), hn::Sub(hn::PromoteTo(d, v2), hn::Mul(gain, covariance)));
  const auto credited = hn::Min(gain, hn::Set(d, limit));
  explained = hn::DemoteTo(I32Half(), hn::Mul(hn::Mul(credited, credited), variance));
}

// The noise, and all: noise and what is explained.
HWY_INLINE void share_out(hn::VFromD<I32> v1, hn::VFromD<I32> v2, hn::VFromD<I32> v12, double limit,
                          hn::VFromD<I32>& noise, hn::VFromD<I32>& all) {
  const I32 d;
  const I32Half half;
  hn::VFromD<I32Half> residual_low, residual_high, explained_low, explained_high;
  explain(hn::LowerHalf(half, v1), hn::LowerHalf(half, v2), hn::LowerHalf(half, v12), limit, residual_low,
          explained_low);
  explain(hn::UpperHalf(half, v1), hn::UpperHalf(half, v2), hn::UpperHalf(half, v12), limit, residual_high,
          explained_high);
  const auto residual = hn::Combine(d, residual_high, residual_low);
  noise = hn::Add(hn::Max(residual, hn::Zero(d)), hn::Set(d, kNoise));
  all = hn::Add(hn::Combine(d, explained_high, explained_low), noise);
}

// Numbers whose logarithms are summed up.
struct LogArguments {
  alignas(kRowGuardBytes) int32_t at[kMostSums];
  size_t count = 0;
  HWY_INLINE void add(hn::VFromD<I32> v) {
    hn::Store(v, I32(), at + count);
    count += hn::Lanes(I32());
  }
};

// Adds samples, by their horizontal sums. Samples whose sums are all 0 count as flat and add nothing else.
// Needs: a number of samples that fills vectors, kMostSums or less.
inline void add_samples(const Plane<uint32_t>& rows, int count, double limit, ScaleSums& sums) {
  const I32 d;
  const I64 d64;
  auto textured = hn::Zero(d);
  auto flat_variance = hn::Zero(d64);
  LogArguments variances, noises, alls;
  for (int x = 0; x < count; x += static_cast<int>(hn::Lanes(d))) {
    const auto at = [&](SumRow row) HWY_ATTR { return hn::Load(U32(), rows.row(row) + x); };
    const auto mean = at(kMean), distorted_mean = at(kDistortedMean);
    const auto v1 = central(at(kSquare), mean, mean);
    // Rounding leaves values below 0.
    const auto v2 = hn::Max(central(at(kDistortedSquare), distorted_mean, distorted_mean), hn::Zero(d));
    const auto is_flat = hn::Lt(v1, hn::Set(d, kNoise));
    if (!hn::AllFalse(d, is_flat)) {
      const auto flat = hn::BitCast(d64, hn::IfThenElseZero(is_flat, v2));
      flat_variance =
          hn::Add(flat_variance, hn::Add(hn::And(flat, hn::Set(d64, 0xFFFFFFFF)), hn::ShiftRight<32>(flat)));
      if (hn::AllTrue(d, is_flat)) continue;
    }
    textured = hn::Add(textured, hn::IfThenZeroElse(is_flat, hn::Set(d, 1)));
    variances.add(hn::Add(hn::IfThenZeroElse(is_flat, v1), hn::Set(d, kNoise)));
    const auto v12 = central(at(kProduct), mean, distorted_mean);
    const auto is_gained = hn::AndNot(is_flat, hn::And(hn::Gt(v12, hn::Zero(d)), hn::Gt(v2, hn::Zero(d))));
    if (hn::AllFalse(d, is_gained)) continue;
    hn::VFromD<I32> noise, all;
    share_out(v1, v2, v12, limit, noise, all);
    noises.add(hn::IfThenElse(is_gained, noise, hn::Set(d, kNoise)));
    alls.add(hn::IfThenElse(is_gained, all, hn::Set(d, kNoise)));
  }
  const auto sum = [&](hn::VFromD<I32> v) HWY_ATTR { return int64_t{hn::GetLane(hn::SumOfLanes(d, v))}; };
  // Apart from the loop above, which is a long chain of operations.
  auto num = hn::Zero(d), den = num;
  for (size_t i = 0; i < variances.count; i += hn::Lanes(d))
    den = hn::Add(den, hn::Sub(log2(hn::Load(d, variances.at + i)), hn::Set(d, kLogOfNoise)));
  for (size_t i = 0; i < noises.count; i += hn::Lanes(d))
    num = hn::Add(num, hn::Sub(log2(hn::Load(d, alls.at + i)), log2(hn::Load(d, noises.at + i))));
  sums.num_log += sum(num);
  sums.den_log += sum(den);
  sums.flat += count - sum(textured);
  sums.flat_variance += hn::GetLane(hn::SumOfLanes(d64, flat_variance));
}

// Rows of the words of a row: filtered samples, and the lower and upper halves of filtered products.
enum WordRow {
  kMeanWord,
  kDistortedMeanWord,
  kSquareWord,
  kDistortedSquareWord = kSquareWord + 2,
  kProductWord = kDistortedSquareWord + 2
};

template <int kScale, typename T>
void vertical_sums(const Columns<T>& r, const Columns<T>& d, Part part, int width, const Scale& scale,
                   Plane<uint16_t>& words) {
  const int samples = sample_shift(scale), products = product_shift(scale);
  mean_band<kScale, 1>(r, part, width, samples, kMeanWord, words);
  mean_band<kScale, 1>(d, part, width, samples, kDistortedMeanWord, words);
  product_band<kScale>(r, r, part, width, products, kSquareWord, words);
  product_band<kScale>(d, d, part, width, products, kDistortedSquareWord, words);
  product_band<kScale>(r, d, part, width, products, kProductWord, words);
}

// Handles row i of a band.
template <int kScale>
void horizontal_sums(const Plane<uint16_t>& words, int i, Part part, Plane<uint32_t>& sums) {
  const int count = part.end - part.first;
  const auto row = [&](int word_row) { return words.row(kWordRows * i + word_row) + part.first; };
  filter_means<kScale>(row(kMeanWord), count, sums.row(kMean));
  filter_means<kScale>(row(kDistortedMeanWord), count, sums.row(kDistortedMean));
  filter_halves<kScale>(row(kSquareWord), row(kSquareWord + 1), count, sums.row(kSquare));
  filter_halves<kScale>(row(kDistortedSquareWord), row(kDistortedSquareWord + 1), count,
                        sums.row(kDistortedSquare));
  filter_halves<kScale>(row(kProductWord), row(kProductWord + 1), count, sums.row(kProduct));
}

// Sets to 0 what is beyond the first `count` horizontal sums of a vector.
void clear_rest(int place, int count, Plane<uint32_t>& sums) {
  const int lanes = static_cast<int>(hn::Lanes(U32()));
  for (int i = 0; i < sums.height(); ++i) {
    uint32_t* const row = sums.row(i) + place;
    std::fill(row + (count + 1) / 2, row + lanes, 0);
    std::fill(row + lanes + count / 2, row + 2 * lanes, 0);
  }
}

template <int kScale, typename T>
ScaleSums statistics_of(PlaneView<const T> r, PlaneView<const T> d, const Scale& scale, double limit,
                        Rows& rows) {
  constexpr int kRadius = kFilters[kScale].radius;
  const int step = static_cast<int>(hn::Lanes(U16()));
  const int width = r.width, count = (width + step - 1) / step * step;
  ScaleSums sums;
  for (int y = 0; y < r.height; y += kBandRows) {
    const Columns<T> r_columns = columns_at(r, y, kRadius), d_columns = columns_at(d, y, kRadius);
    // Part by part, so that the nearest cache keeps what one makes until it is used. The horizontal sums are
    // a vector behind: they need the columns to their right.
    for (int x = 0, done = 0; done < count;) {
      const Part fresh = {x, std::min(x + kPartWidth, count)};
      vertical_sums<kScale>(r_columns, d_columns, fresh, width, scale, rows.words);
      const Part part = {done, fresh.end < count ? fresh.end - step : count};
      if (part.first == 0 || part.end == count) {
        for (int i = 0; i < rows.words.height(); ++i) reflect_ends(rows.words.row(i), width, kRadius);
      }
      for (int i = 0; i < std::min(kBandRows, r.height - y); ++i) {
        horizontal_sums<kScale>(rows.words, i, part, rows.sums);
        if (part.end > width) clear_rest(part.end - step - part.first, width - (part.end - step), rows.sums);
        add_samples(rows.sums, part.end - part.first, limit, sums);
      }
      x = fresh.end;
      done = part.end;
    }
  }
  sums.flat -= int64_t{count - width} * r.height;
  return sums;
}

ScaleSums statistics(const Pictures& pictures, const Scale& scale, double gain_limit, Rows& rows) {
  const auto& [r, d] = pictures;
  if (r.is_u8()) return statistics_of<0>(r.u8, d.u8, scale, gain_limit, rows);
  switch (scale.index) {
    case 0:
      return statistics_of<0>(r.u16, d.u16, scale, gain_limit, rows);
    case 1:
      return statistics_of<1>(r.u16, d.u16, scale, gain_limit, rows);
    case 2:
      return statistics_of<2>(r.u16, d.u16, scale, gain_limit, rows);
    default:
      return statistics_of<3>(r.u16, d.u16, scale, gain_limit, rows);
  }
}

}  // namespace vq::vif::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::vif, decimate, statistics)
#endif  // HWY_ONCE
