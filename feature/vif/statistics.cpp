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

// Of row i of a band.
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
