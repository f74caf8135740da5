// The stages of VIF. All are exact: every implementation gives the same integers. They never throw and never
// allocate.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/frame.h"
#include "feature/vif/filters.h"

namespace vq::vif {

// One of the four scales, for videos of this depth: 8..16 bits for scale 0. The others have 16 bits, 8 of
// them below the unit of 8-bit video.
struct Scale {
  int index = 0;
  int bit_depth = 8;
};

// Columns that are worked on at a time: a multiple of any vector.
inline constexpr int kPartWidth = 256;

// Rows of sums: of samples, and of their products.
enum SumRow { kMean, kDistortedMean, kSquare, kDistortedSquare, kProduct };

// Work memory for the rows of one picture of that width or a smaller one.
struct Rows {
  explicit Rows(int width) : words(width, 8 * 4), sums(std::max(width, kPartWidth + 32), 5) {}
  Plane<uint16_t> words;  // eight for each row of a band of four
  Plane<uint32_t> sums;
};

// Pictures narrower than this need rows with guards as in core/plane.h; of others nothing beyond the rows is
// read.
inline constexpr int kGuardedWidth = 32;

// The pictures of one scale, of one size and one type: bytes only at scale 0 and for 8 bits.
struct Pictures {
  SampleView reference, distorted;
};

// Sums over the samples of a scale. A sample is flat if the reference's local variance is below that of the
// noise.
struct ScaleSums {
  // In units of 1/2048 bit: the reference's information that the distorted picture preserves, and the
  // reference's own.
  int64_t num_log = 0, den_log = 0;
  int64_t flat = 0;           // samples
  int64_t flat_variance = 0;  // the distorted picture's there, with 16 fractional bits
  bool operator==(const ScaleSums&) const = default;
};

// A copy with every sample shifted left.
// Shapes: both W x H. Needs: samples that fit 16 bits when shifted.
void widen(const SampleView& in, int shift, PlaneView<uint16_t> out);

// The picture of the next scale: low-pass filtered, then every second row and column.
// Shapes: in W x H of the scale, out W/2 x H/2, rounded down, in a Plane. Border: reflected. Needs: W, H
// >= 2.
using Decimate = void (*)(const SampleView& in, const Scale& scale, PlaneView<uint16_t> out, Rows& rows);

// Compares local variances and the covariance of a scale's pictures.
// Shapes: W x H. Border: reflected. Needs: 1 <= gain_limit <= 100.
using Statistics = ScaleSums (*)(const Pictures& pictures, const Scale& scale, double gain_limit, Rows& rows);

namespace scalar {
// The readable reference, in ordinary C++.
void decimate(const SampleView& in, const Scale& scale, PlaneView<uint16_t> out, Rows& rows);
ScaleSums statistics(const Pictures& pictures, const Scale& scale, double gain_limit, Rows& rows);
}  // namespace scalar

namespace simd {
// For one of allowed_simd_targets(), by its id.
Decimate decimate_for(int64_t target);
Statistics statistics_for(int64_t target);
}  // namespace simd

// What the scales before need more of: at scale 0 the sums of the vertical pass are shifted right by these,
// with rounding.
constexpr int sample_shift(const Scale& scale) {
  return scale.index == 0 ? scale.bit_depth : 16;
}
constexpr int product_shift(const Scale& scale) {
  return scale.index == 0 ? 2 * (scale.bit_depth - 8) : 16;
}

}  // namespace vq::vif
