#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/vif/statistics.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/simd_targets.h"
#include "feature/vif/filtered-inl.h"
#include "feature/vif/information-inl.h"
#include "feature/vif/stages.h"

HWY_BEFORE_NAMESPACE();
namespace vq::vif {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::statistics;
#else

// Rows of Rows::words: filtered samples, and the lower and upper halves of filtered products.
enum WordRow {
  kMean,
  kDistortedMean,
  kSquare,
  kDistortedSquare = kSquare + 2,
  kProduct = kDistortedSquare + 2
};
// Rows of Rows::moments.
enum MomentRow { kVariance, kDistortedVariance, kCovariance };

template <int kScale, typename T>
void vertical_moments(const Columns<T>& r, const Columns<T>& d, const Scale& scale, int width,
                      Plane<uint16_t>& words) {
  const int samples = sample_shift(scale), products = product_shift(scale);
  for_vectors(width, [&](int x) HWY_ATTR {
    mean_columns<kScale>(r, x, samples, words.row(kMean));
    mean_columns<kScale>(d, x, samples, words.row(kDistortedMean));
    product_columns<kScale>(r, r, x, products, words.row(kSquare), words.row(kSquare + 1));
    product_columns<kScale>(d, d, x, products, words.row(kDistortedSquare), words.row(kDistortedSquare + 1));
    product_columns<kScale>(r, d, x, products, words.row(kProduct), words.row(kProduct + 1));
  });
  for (int i = 0; i < words.height(); ++i) reflect_ends(words.row(i), width, kFilters[kScale].radius);
}

// Those of the samples at even places from x on, then those at odd ones. `count` samples are there; places
// beyond become 0.
template <int kScale>
HWY_INLINE void moments_at(const Plane<uint16_t>& words, int x, int count, Plane<int32_t>& moments) {
  const S32 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  hn::VFromD<U32> even_mean, odd_mean, even_other, odd_other;
  sum_neighbours<kFilters[kScale]>(words.row(kMean) + x, kBias, even_mean, odd_mean);
  sum_neighbours<kFilters[kScale]>(words.row(kDistortedMean) + x, kBias, even_other, odd_other);
  const auto evens = hn::FirstN(d, static_cast<size_t>((count + 1) / 2)),
             odds = hn::FirstN(d, static_cast<size_t>(count / 2));
  const auto store = [&](int word_row, int moment_row, auto even_product, auto odd_product) HWY_ATTR {
    hn::VFromD<U32> even, odd;
    sum_halves<kScale>(words.row(word_row) + x, words.row(word_row + 1) + x, even, odd);
    const bool is_square = moment_row == kDistortedVariance;
    const auto least = is_square ? hn::Zero(d) : hn::Set(d, INT32_MIN);
    int32_t* const out = moments.row(moment_row) + x;
    hn::Store(hn::IfThenElseZero(evens, hn::Max(difference(even, even_product), least)), d, out);
    hn::Store(hn::IfThenElseZero(odds, hn::Max(difference(odd, odd_product), least)), d, out + lanes);
  };
  store(kSquare, kVariance, upper_product(even_mean, even_mean), upper_product(odd_mean, odd_mean));
  store(kDistortedSquare, kDistortedVariance, upper_product(even_other, even_other),
        upper_product(odd_other, odd_other));
  store(kProduct, kCovariance, upper_product(even_mean, even_other), upper_product(odd_mean, odd_other));
}

template <int kScale, typename T>
ScaleSums statistics_of(PlaneView<const T> r, PlaneView<const T> d, const Scale& scale, double limit,
                        Rows& rows) {
  constexpr int kRadius = kFilters[kScale].radius;
  const int step = static_cast<int>(hn::Lanes(U16()));
  const int count = (r.width + step - 1) / step * step;
  ScaleSums sums;
  for (int y = 0; y < r.height; ++y) {
    vertical_moments<kScale>(columns_at(r, y, kRadius), columns_at(d, y, kRadius), scale, r.width,
                             rows.words);
    for (int x = 0; x < count; x += step)
      moments_at<kScale>(rows.words, x, std::min(step, r.width - x), rows.moments);
    const Plane<int32_t>& moments = rows.moments;
    add_row(moments.row(kVariance), moments.row(kDistortedVariance), moments.row(kCovariance), count, limit,
            sums);
  }
  sums.flat -= int64_t{count - r.width} * r.height;
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

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::vif
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vq::vif {
HWY_EXPORT(statistics);

Statistics simd::statistics_for(int64_t target) {
  return for_target(HWY_DISPATCH_TABLE(statistics), target);
}

}  // namespace vq::vif
#endif  // HWY_ONCE
