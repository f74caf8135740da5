// The one stage of motion: how much a picture differs from another after a small blur. It is exact: every
// implementation gives the same integer. It never throws and never allocates.
#pragma once

#include <cstdint>

#include "core/frame.h"
#include "feature/words/filter.h"

namespace vq::motion {

// A Gaussian, as the reference implementation rounds it.
inline constexpr WordFilter kBlur = {2, {26386, 16004, 3571}};

// Work memory for the rows of pictures of that width or a smaller one.
struct Rows {
  explicit Rows(int width) : sums(width, 1), words(width, 2 * 4) {}
  Plane<int32_t> sums;
  Plane<uint16_t> words;  // two for each row of a band of four
};

// A luma plane as decoded, of any stride and alignment and without guards: nothing beyond its rows is read.
struct Pictures {
  SampleView before, now;
  int bit_depth = 8;  // 8..16
};

// The sum of the magnitudes of the blurred difference before - now, in units of 1/256 of a level of 8-bit
// video: vertical sums rounded to that unit, then horizontal ones, half a unit up in both. 0 for identical
// pictures. Shapes: both W x H, of one type: bytes, or words of `bit_depth` bits. Border: reflected. Needs: W
// and H of at least 1 and at most kMaxSide, bytes only for 8 bits. 8 bits may be in words.
using BlurredDifference = uint64_t (*)(const Pictures& pictures, Rows& rows);

namespace scalar {
// The readable reference, in ordinary C++.
uint64_t blurred_difference(const Pictures& pictures, Rows& rows);
}  // namespace scalar

namespace simd {
// For one of allowed_simd_targets(), by its id.
BlurredDifference blurred_difference_for(int64_t target);
}  // namespace simd

}  // namespace vq::motion
