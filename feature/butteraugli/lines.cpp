#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/butteraugli/lines.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/butteraugli/arithmetic-inl.h"
#include "feature/butteraugli/stages.h"
#include "feature/simd_targets.h"

// Lines have the sample c in their middle and are symmetric, so they are sums of c and of pairs of samples on
// both sides. Many have their first pairs in common, which are added once. Four of the long lines count
// twice.

#if HWY_ONCE
namespace vq::butteraugli {

void scalar::line_differences(const RowPair& rows, const LineWeights& weights, int width, float* out) {
  for (int x = 0; x < width; ++x) {
    const float a = rows.reference[x], b = rows.distorted[x], size = std::abs(a);
    const float fraction = reciprocal(weights.norm + 0.5F * (size + std::abs(b)));
    const float difference = (weights.up * fraction) * (a - b), factor = weights.down * fraction;
    // The distorted sample, positive where it has the reference's sign.
    const float same = a < 0 ? -b : b, low = kRatioLow * size, high = kRatioHigh * size;
    const float excess = same < low ? factor * (low - same) : same > high ? -(factor * (same - high)) : 0.0F;
    out[x] = settled(difference + (a < 0 ? -excess : excess));
  }
}

namespace {

float square(float x) {
  return x * x;
}

template <typename Pair>
float long_lines(float c, const Pair& pair) {
  const float across = c + pair(0, 1), down = c + pair(1, 0), falling = c + pair(1, 1),
              rising = c + pair(1, -1);
  const float steep_fall = pair(2, 1), steep_rise = pair(2, -1), slow_fall = pair(1, 2),
              slow_rise = pair(1, -2);
  float sum = square(((down + steep_rise) + pair(3, -1)) + pair(4, -1));
  sum = sum + square(((down + steep_fall) + pair(3, 1)) + pair(4, 1));
  sum = sum + square(((across + slow_fall) + pair(1, 3)) + pair(1, 4));
  sum = sum + square(((across + slow_rise) + pair(1, -3)) + pair(1, -4));
  sum = sum + sum;
  sum = sum + square(((across + pair(0, 2)) + pair(0, 3)) + pair(0, 4));
  sum = sum + square(((down + pair(2, 0)) + pair(3, 0)) + pair(4, 0));
  sum = sum + square((falling + pair(2, 2)) + pair(3, 3));
  sum = sum + square((rising + pair(2, -2)) + pair(3, -3));
  sum = sum + square((falling + steep_fall) + pair(3, 2));
  sum = sum + square((rising + steep_rise) + pair(3, -2));
  sum = sum + square((falling + slow_fall) + pair(2, 3));
  return sum + square((rising + slow_rise) + pair(2, -3));
}

template <typename Pair>
float short_lines(float c, const Pair& pair) {
  const float steep_fall = c + pair(2, 1), steep_rise = c + pair(2, -1), slow_fall = c + pair(1, 2),
              slow_rise = c + pair(1, -2);
  float sum = square((c + pair(0, 2)) + pair(0, 4));
  sum = sum + square((c + pair(2, 0)) + pair(4, 0));
  sum = sum + square((c + pair(2, 2)) + pair(3, 3));
  sum = sum + square((c + pair(2, -2)) + pair(3, -3));
  sum = sum + square(steep_rise + pair(4, -1));
  sum = sum + square(steep_fall + pair(4, 1));
  sum = sum + square(slow_fall + pair(1, 4));
  sum = sum + square(slow_rise + pair(1, -4));
  sum = sum + square(steep_fall + pair(3, 2));
  sum = sum + square(steep_rise + pair(3, -2));
  sum = sum + square(slow_fall + pair(2, 3));
  sum = sum + square(slow_rise + pair(2, -3));
  sum = sum + square(slow_rise + pair(2, -4));
  sum = sum + square(slow_fall + pair(2, 4));
  sum = sum + square(steep_fall + pair(4, 2));
  return sum + square(steep_rise + pair(4, -2));
}

}  // namespace

void scalar::add_lines(const float* const* rows, bool is_long, int width, float* sum) {
  for (int x = 0; x < width; ++x) {
    const auto pair = [&](int down, int right) {
      return rows[kLineReach + down][x + right] + rows[kLineReach - down][x - right];
    };
    const float c = rows[kLineReach][x];
    sum[x] = sum[x] + (is_long ? long_lines(c, pair) : short_lines(c, pair));
  }
}

}  // namespace vq::butteraugli
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::butteraugli {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::add_lines;
using scalar::line_differences;
#else

void line_differences(const RowPair& rows, const LineWeights& weights, int width, float* out) {
  const V32 norm = all(weights.norm), up = all(weights.up), down = all(weights.down);
  for (int x = 0; x < width; x += lanes()) {
    const V32 a = load(rows.reference + x), b = load(rows.distorted + x), size = hn::Abs(a);
    const V32 fraction = reciprocal(hn::Add(norm, hn::Mul(all(0.5F), hn::Add(size, hn::Abs(b)))));
    const V32 difference = hn::Mul(hn::Mul(up, fraction), hn::Sub(a, b)), factor = hn::Mul(down, fraction);
    const auto is_negative = hn::Lt(a, all(0));
    const V32 same = hn::IfThenElse(is_negative, hn::Neg(b), b);
    const V32 low = hn::Mul(all(kRatioLow), size), high = hn::Mul(all(kRatioHigh), size);
    const V32 below = hn::Mul(factor, hn::Sub(low, same)),
              above = hn::Neg(hn::Mul(factor, hn::Sub(same, high)));
    const V32 excess =
        hn::IfThenElse(hn::Lt(same, low), below, hn::IfThenElseZero(hn::Gt(same, high), above));
    store(settled(hn::Add(difference, hn::IfThenElse(is_negative, hn::Neg(excess), excess))), out + x);
  }
}

// The samples around one vector.
struct Around {
  const float* const* rows;
  int x;

  HWY_INLINE V32 at(int down, int right) const { return load(rows[kLineReach + down] + x + right); }
  HWY_INLINE V32 pair(int down, int right) const { return hn::Add(at(down, right), at(-down, -right)); }
};

HWY_INLINE V32 plus(V32 a, V32 b) {
  return hn::Add(a, b);
}
HWY_INLINE V32 plus(V32 a, V32 b, V32 c) {
  return hn::Add(hn::Add(a, b), c);
}
HWY_INLINE V32 plus(V32 a, V32 b, V32 c, V32 d) {
  return hn::Add(hn::Add(hn::Add(a, b), c), d);
}
HWY_INLINE V32 plus_square(V32 sum, V32 x) {
  return hn::Add(sum, hn::Mul(x, x));
}

HWY_INLINE V32 long_lines_of(const Around& p) {
  const V32 c = p.at(0, 0);
  const V32 across = plus(c, p.pair(0, 1)), down = plus(c, p.pair(1, 0)), falling = plus(c, p.pair(1, 1)),
            rising = plus(c, p.pair(1, -1));
  const V32 steep_fall = p.pair(2, 1), steep_rise = p.pair(2, -1), slow_fall = p.pair(1, 2),
            slow_rise = p.pair(1, -2);
  const V32 first = plus(down, steep_rise, p.pair(3, -1), p.pair(4, -1));
  V32 sum = hn::Mul(first, first);
  sum = plus_square(sum, plus(down, steep_fall, p.pair(3, 1), p.pair(4, 1)));
  sum = plus_square(sum, plus(across, slow_fall, p.pair(1, 3), p.pair(1, 4)));
  sum = plus_square(sum, plus(across, slow_rise, p.pair(1, -3), p.pair(1, -4)));
  sum = plus(sum, sum);
  sum = plus_square(sum, plus(across, p.pair(0, 2), p.pair(0, 3), p.pair(0, 4)));
  sum = plus_square(sum, plus(down, p.pair(2, 0), p.pair(3, 0), p.pair(4, 0)));
  sum = plus_square(sum, plus(falling, p.pair(2, 2), p.pair(3, 3)));
  sum = plus_square(sum, plus(rising, p.pair(2, -2), p.pair(3, -3)));
  sum = plus_square(sum, plus(falling, steep_fall, p.pair(3, 2)));
  sum = plus_square(sum, plus(rising, steep_rise, p.pair(3, -2)));
  sum = plus_square(sum, plus(falling, slow_fall, p.pair(2, 3)));
  return plus_square(sum, plus(rising, slow_rise, p.pair(2, -3)));
}

HWY_INLINE V32 short_lines_of(const Around& p) {
  const V32 c = p.at(0, 0);
  const V32 steep_fall = plus(c, p.pair(2, 1)), steep_rise = plus(c, p.pair(2, -1)),
            slow_fall = plus(c, p.pair(1, 2)), slow_rise = plus(c, p.pair(1, -2));
  const V32 first = plus(c, p.pair(0, 2), p.pair(0, 4));
  V32 sum = hn::Mul(first, first);
  sum = plus_square(sum, plus(c, p.pair(2, 0), p.pair(4, 0)));
  sum = plus_square(sum, plus(c, p.pair(2, 2), p.pair(3, 3)));
  sum = plus_square(sum, plus(c, p.pair(2, -2), p.pair(3, -3)));
  sum = plus_square(sum, plus(steep_rise, p.pair(4, -1)));
  sum = plus_square(sum, plus(steep_fall, p.pair(4, 1)));
  sum = plus_square(sum, plus(slow_fall, p.pair(1, 4)));
  sum = plus_square(sum, plus(slow_rise, p.pair(1, -4)));
  sum = plus_square(sum, plus(steep_fall, p.pair(3, 2)));
  sum = plus_square(sum, plus(steep_rise, p.pair(3, -2)));
  sum = plus_square(sum, plus(slow_fall, p.pair(2, 3)));
  sum = plus_square(sum, plus(slow_rise, p.pair(2, -3)));
  sum = plus_square(sum, plus(slow_rise, p.pair(2, -4)));
  sum = plus_square(sum, plus(slow_fall, p.pair(2, 4)));
  sum = plus_square(sum, plus(steep_fall, p.pair(4, 2)));
  return plus_square(sum, plus(steep_rise, p.pair(4, -2)));
}

void add_lines(const float* const* rows, bool is_long, int width, float* sum) {
  if (is_long) {
    for (int x = 0; x < width; x += lanes()) store(plus(load(sum + x), long_lines_of({rows, x})), sum + x);
  } else {
    for (int x = 0; x < width; x += lanes()) store(plus(load(sum + x), short_lines_of({rows, x})), sum + x);
  }
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::butteraugli
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_STAGE(vq::butteraugli, line_differences)
VQ_STAGE(vq::butteraugli, add_lines)
#endif  // HWY_ONCE
