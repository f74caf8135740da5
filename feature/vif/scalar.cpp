// The stages of VIF in ordinary C++.
#include <algorithm>

#include "feature/vif/plan.h"

namespace vq::vif {
namespace {

uint64_t rounded_shift(uint64_t sum, int shift) {
  return shift == 0 ? sum : (sum + (uint64_t{1} << (shift - 1))) >> shift;
}

// The weighted sum around a place, of what `at` returns for the distances -radius..radius from there.
template <typename At>
uint64_t filtered(const WordFilter& filter, const At& at) {
  uint64_t sum = static_cast<uint64_t>(filter.taps[0]) * at(0);
  for (int k = 1; k <= filter.radius; ++k) {
    sum += static_cast<uint64_t>(filter.tap(k)) * (static_cast<uint64_t>(at(-k)) + at(k));
  }
  return sum;
}

uint64_t filtered_row(const WordFilter& filter, const uint32_t* row, int x) {
  return filtered(filter, [&](int k) { return row[x + k]; });
}

// The vertical pass over a row: sums of what `at` returns for rows and columns of the picture.
template <typename At>
void filter_columns(const WordFilter& filter, PlaneSize size, int y, int shift, uint32_t* out, const At& at) {
  for (int x = 0; x < size.width; ++x) {
    const uint64_t sum =
        filtered(filter, [&](int k) -> uint32_t { return at(reflected(y + k, size.height), x); });
    out[x] = static_cast<uint32_t>(rounded_shift(sum, shift));
  }
  reflect_ends(out, size.width, filter.radius);
}

template <typename T>
void vertical_moments(PlaneView<const T> r, PlaneView<const T> d, const Scale& scale, int y,
                      Plane<uint32_t>& rows) {
  const WordFilter& filter = kFilters[static_cast<size_t>(scale.index)];
  const PlaneSize size{r.width, r.height};
  const int samples = sample_shift(scale), products = product_shift(scale);
  const auto sample = [](PlaneView<const T> plane, int row, int x) { return uint32_t{plane.row(row)[x]}; };
  const auto product = [&](PlaneView<const T> a, PlaneView<const T> b) {
    return [=](int row, int x) { return sample(a, row, x) * sample(b, row, x); };
  };
  filter_columns(filter, size, y, samples, rows.row(kMean),
                 [&](int row, int x) { return sample(r, row, x); });
  filter_columns(filter, size, y, samples, rows.row(kDistortedMean),
                 [&](int row, int x) { return sample(d, row, x); });
  filter_columns(filter, size, y, products, rows.row(kSquare), product(r, r));
  filter_columns(filter, size, y, products, rows.row(kDistortedSquare), product(d, d));
  filter_columns(filter, size, y, products, rows.row(kProduct), product(r, d));
}

Moments moments_at(const WordFilter& filter, const Plane<uint32_t>& rows, int x) {
  const uint64_t mean = filtered_row(filter, rows.row(kMean), x);
  const uint64_t distorted_mean = filtered_row(filter, rows.row(kDistortedMean), x);
  const auto central = [&](SumRow row, uint64_t mean_product) {
    const auto moment = static_cast<int64_t>(rounded_shift(filtered_row(filter, rows.row(row), x), 16));
    return static_cast<int32_t>(moment - static_cast<int64_t>(rounded_shift(mean_product, 32)));
  };
  return {.variance = central(kSquare, mean * mean),
          .distorted_variance = std::max(central(kDistortedSquare, distorted_mean * distorted_mean), 0),
          .covariance = central(kProduct, mean * distorted_mean)};
}

void add(const Moments& moments, double gain_limit, ScaleSums& sums) {
  const LogTable& table = LogTable::get();
  if (moments.variance < kNoise) {
    ++sums.flat;
    sums.flat_variance += moments.distorted_variance;
    return;
  }
  sums.den_log += table.log2(static_cast<uint64_t>(kNoise + moments.variance)) - 2048 * 17;
  if (moments.covariance <= 0 || moments.distorted_variance <= 0) return;
  const Explained explained = explain(moments, gain_limit);
  sums.num_log +=
      table.log2(static_cast<uint64_t>(explained.all)) - table.log2(static_cast<uint64_t>(explained.noise));
}

template <typename T>
ScaleSums statistics_of(PlaneView<const T> r, PlaneView<const T> d, const Scale& scale, double gain_limit,
                        Rows& rows) {
  const WordFilter& filter = kFilters[static_cast<size_t>(scale.index)];
  ScaleSums sums;
  for (int y = 0; y < r.height; ++y) {
    vertical_moments(r, d, scale, y, rows.sums);
    for (int x = 0; x < r.width; ++x) add(moments_at(filter, rows.sums, x), gain_limit, sums);
  }
  return sums;
}

template <typename T>
void decimate_plane(PlaneView<const T> in, const Scale& scale, PlaneView<uint16_t> out, Rows& rows) {
  const WordFilter& filter = kFilters[static_cast<size_t>(scale.index + 1)];
  uint32_t* const sums = rows.sums.row(0);
  for (int y = 0; y < out.height; ++y) {
    filter_columns(filter, {in.width, in.height}, 2 * y, sample_shift(scale), sums,
                   [&](int row, int x) { return uint32_t{in.row(row)[x]}; });
    for (int x = 0; x < out.width; ++x) {
      out.row(y)[x] = static_cast<uint16_t>(rounded_shift(filtered_row(filter, sums, 2 * x), 16));
    }
  }
}

template <typename T>
void widen_plane(PlaneView<const T> in, int shift, PlaneView<uint16_t> out) {
  for (int y = 0; y < in.height; ++y) {
    std::transform(in.row(y), in.row(y) + in.width, out.row(y),
                   [=](T v) { return static_cast<uint16_t>(v << shift); });
  }
}

}  // namespace

void widen(const SampleView& in, int shift, PlaneView<uint16_t> out) {
  in.is_u8() ? widen_plane(in.u8, shift, out) : widen_plane(in.u16, shift, out);
}

void scalar::decimate(const SampleView& in, const Scale& scale, PlaneView<uint16_t> out, Rows& rows) {
  in.is_u8() ? decimate_plane(in.u8, scale, out, rows) : decimate_plane(in.u16, scale, out, rows);
}

ScaleSums scalar::statistics(const Pictures& pictures, const Scale& scale, double gain_limit, Rows& rows) {
  const auto& [r, d] = pictures;
  return r.is_u8() ? statistics_of(r.u8, d.u8, scale, gain_limit, rows)
                   : statistics_of(r.u16, d.u16, scale, gain_limit, rows);
}

}  // namespace vq::vif
