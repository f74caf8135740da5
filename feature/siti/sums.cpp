#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/siti/sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>

#include "feature/siti/siti.h"

#if HWY_ONCE
namespace vq::siti {

// The root is under 2^23 and at least 2^-26 away from the middle of two integers, which is many steps of a
// double.
GradientSums scalar::gradients(const Neighbourhood& rows, int width, int shift) {
  const auto& [a, b, c] = rows;
  GradientSums sums;
  for (int x = 1; x + 1 < width; ++x) {
    const int64_t gx = (a[x - 1] - a[x + 1]) + 2 * (b[x - 1] - b[x + 1]) + (c[x - 1] - c[x + 1]);
    const int64_t gy = (a[x - 1] + 2 * a[x] + a[x + 1]) - (c[x - 1] + 2 * c[x] + c[x + 1]);
    const auto square = static_cast<double>((gx * gx + gy * gy) << (2 * shift));
    const auto g = static_cast<uint64_t>(std::sqrt(square) + 0.5);
    sums.sum += g;
    sums.squares += g * g;
  }
  return sums;
}

ChangeSums scalar::changes(const int32_t* now, const int32_t* before, int width) {
  ChangeSums sums;
  for (int x = 0; x < width; ++x) {
    const int64_t change = now[x] - before[x];
    sums.sum += change;
    sums.squares += static_cast<uint64_t>(change * change);
  }
  return sums;
}

}  // namespace vq::siti
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::siti {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::changes;
using scalar::gradients;
#else

namespace hn = hwy::HWY_NAMESPACE;

// All numbers are whole, and no double is rounded but the root.
using F64 = hn::ScalableTag<double>;
using S32 = hn::Rebind<int32_t, F64>;
using V64 = hn::VFromD<F64>;

HWY_INLINE double total(V64 sum) {
  return hn::GetLane(hn::SumOfLanes(F64(), sum));
}

// The sums of squares of two pieces: a square of 46 bits times as many as a row has is more than a double
// has.
constexpr double kPiece = 1 << 24;

GradientSums gradients(const Neighbourhood& rows, int width, int shift) {
  const F64 d;
  const S32 s;
  const int step = static_cast<int>(hn::Lanes(d));
  const V64 scale = hn::Set(d, static_cast<double>(int64_t{1} << (2 * shift))), half = hn::Set(d, 0.5);
  V64 sum = hn::Zero(d), low = sum, high = sum;
  for (int x = 1; x + 1 < width; x += step) {
    const auto a0 = hn::LoadU(s, rows.above + x - 1), a1 = hn::LoadU(s, rows.above + x),
               a2 = hn::LoadU(s, rows.above + x + 1);
    const auto b0 = hn::LoadU(s, rows.here + x - 1), b2 = hn::LoadU(s, rows.here + x + 1);
    const auto c0 = hn::LoadU(s, rows.below + x - 1), c1 = hn::LoadU(s, rows.below + x),
               c2 = hn::LoadU(s, rows.below + x + 1);
    const auto sides = hn::Sub(b0, b2), middles = hn::Sub(a1, c1);
    const auto falling = hn::Sub(a0, c2), rising = hn::Sub(c0, a2);
    const V64 gx = hn::PromoteTo(d, hn::Add(hn::Add(falling, rising), hn::Add(sides, sides)));
    const V64 gy = hn::PromoteTo(d, hn::Add(hn::Sub(falling, rising), hn::Add(middles, middles)));
    const V64 square = hn::Mul(hn::Add(hn::Mul(gx, gx), hn::Mul(gy, gy)), scale);
    const auto is_inner = hn::FirstN(d, static_cast<size_t>(width - 1 - x));
    const V64 g = hn::IfThenElseZero(is_inner, hn::Floor(hn::Add(hn::Sqrt(square), half)));
    const V64 gg = hn::Mul(g, g), upper = hn::Floor(hn::Mul(gg, hn::Set(d, 1 / kPiece)));
    sum = hn::Add(sum, g);
    high = hn::Add(high, upper);
    low = hn::Add(low, hn::Sub(gg, hn::Mul(upper, hn::Set(d, kPiece))));
  }
  return {static_cast<uint64_t>(total(sum)),
          static_cast<uint64_t>(total(low)) + (static_cast<uint64_t>(total(high)) << 24)};
}

ChangeSums changes(const int32_t* now, const int32_t* before, int width) {
  const F64 d;
  const S32 s;
  const int step = static_cast<int>(hn::Lanes(d));
  V64 sum = hn::Zero(d), squares = sum;
  for (int x = 0; x < width; x += step) {
    const auto difference = hn::PromoteTo(d, hn::Sub(hn::LoadU(s, now + x), hn::LoadU(s, before + x)));
    const V64 change = hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(width - x)), difference);
    sum = hn::Add(sum, change);
    squares = hn::Add(squares, hn::Mul(change, change));
  }
  return {static_cast<int64_t>(total(sum)), static_cast<uint64_t>(total(squares))};
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::siti
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_DISPATCH(vq::siti, gradients, changes)
#endif  // HWY_ONCE
