// The one stage of PSNR: the sum of squared differences of two planes. It is exact: every implementation
// gives the same integer. It never throws and never allocates.
#pragma once

#include <cstdint>

#include "core/frame.h"

namespace vq::psnr {

// A plane as decoded, of any stride and alignment and without guards: nothing beyond its rows is read. Each
// sample is shifted left by `shift`, 0..8, to the depth it is compared at, which is at most 16 bits; bits
// above these are lost.
struct Samples {
  SampleView view;
  int shift = 0;
};

// The shapes and shifts that the stage needs, for its assertions.
inline bool can_be_compared(const Samples& a, const Samples& b) {
  const bool can_be_shifted = 0 <= a.shift && a.shift <= 8 && 0 <= b.shift && b.shift <= 8;
  return can_be_shifted && a.view.width() == b.view.width() && a.view.height() == b.view.height() &&
         a.view.width() <= kMaxSide && a.view.height() <= kMaxSide;
}

// What `sum_of` returns for both planes as views of the types that they have.
template <typename Sum>
uint64_t for_sample_types(const Samples& a, const Samples& b, Sum sum_of) {
  HWY_DASSERT(can_be_compared(a, b));
  if (a.view.is_u8()) return b.view.is_u8() ? sum_of(a.view.u8, b.view.u8) : sum_of(a.view.u8, b.view.u16);
  return b.view.is_u8() ? sum_of(a.view.u16, b.view.u8) : sum_of(a.view.u16, b.view.u16);
}

// The sum of (a - b)^2 over two planes of one size, 8-bit and deeper ones in any combination. Sums of bands
// of rows add up to that of the plane. Needs: sides of at most kMaxSide; then the sum is below 2^60.
using SquaredError = uint64_t (*)(const Samples& a, const Samples& b);

namespace scalar {
// The readable reference, in ordinary C++.
uint64_t squared_error(const Samples& a, const Samples& b);
}  // namespace scalar

namespace simd {
// For one of allowed_simd_targets(), by its id.
SquaredError squared_error_for(int64_t target);
}  // namespace simd

}  // namespace vq::psnr
