#define HWY_TARGET_INCLUDE "feature/butteraugli/maps.cpp"
#include <hwy/foreach_target.h>

#include "core/plane.h"
#include "feature/butteraugli/arithmetic-inl.h"
#include "feature/butteraugli/stages.h"

#if HWY_ONCE
namespace vq::butteraugli {
namespace {

float square(float x) { return x * x; }

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

// The three smallest values, in order.
struct Smallest {
  float first, second, third;

  void add(float x) {
    third = std::min(third, std::max(second, x));
    second = std::min(second, std::max(first, x));
    first = std::min(first, x);
  }
};

float squared_difference(float a, float b) {
  const float difference = settled(a - b);
  return difference * difference;
}

// Also counts how far the distorted sample is below a part of the reference's, or beyond it.
float asymmetric(float a, float b, float difference_weight, float excess_weight) {
  const float size = std::abs(a), same = a < 0 ? -b : b, small = kSmallRatio * size;
  const float excess = settled(same < small ? small - same : same > size ? same - size : 0.0F);
  return squared_difference(a, b) * difference_weight + excess_weight * (excess * excess);
}

float visibility(float mask, float offset, float scale, float factor) {
  const float root_of_it = kMaskScale * (1.0F + factor * reciprocal(scale * mask + offset));
  return root_of_it * root_of_it;
}

}  // namespace

// Lines have the sample c in their middle and are symmetric, so they are sums of c and of pairs of samples on
// both sides. Many have their first pairs in common, which are added once. Four of the long lines count
// twice.

void scalar::line_differences(const RowPair& rows, const LineWeights& weights, int width, float* out) {
  for (int x = 0; x < width; ++x) {
    const float a = rows.reference[x], b = rows.distorted[x], size = std::abs(a);
    const float fraction = reciprocal(weights.norm + 0.5F * (size + std::abs(b)));
    const float difference = (weights.up * fraction) * (a - b), factor = weights.down * fraction;
    // The distorted sample, positive if it has the reference's sign.
    const float same = a < 0 ? -b : b, low = kRatioLow * size, high = kRatioHigh * size;
    const float excess = same < low ? factor * (low - same) : same > high ? -(factor * (same - high)) : 0.0F;
    out[x] = settled(difference + (a < 0 ? -excess : excess));
  }
}

void scalar::add_lines(const float* const* rows, bool is_long, int width, float* sum) {
  for (int x = 0; x < width; ++x) {
    const auto pair = [&](int down, int right) {
      return rows[kLineReach + down][x + right] + rows[kLineReach - down][x - right];
    };
    const float c = rows[kLineReach][x];
    sum[x] = sum[x] + (is_long ? long_lines(c, pair) : short_lines(c, pair));
  }
}

void scalar::erode(const std::array<const float*, 3>& rows, int width, float* out) {
  for (int x = 0; x < width; ++x) {
    const float value = rows[1][x], twice = value + value;
    Smallest smallest{std::min(value, twice), twice, std::max(value, twice)};
    for (const float* const row : {rows[0], rows[2]}) {
      for (const int dx : {-kErosionReach, 0, kErosionReach}) smallest.add(row[x + dx]);
    }
    smallest.add(rows[1][x - kErosionReach]);
    smallest.add(rows[1][x + kErosionReach]);
    out[x] =
        (kSmallest * smallest.first + kSecondSmallest * smallest.second) + kThirdSmallest * smallest.third;
  }
}

void scalar::map_row(const Differences& differences, const SquareWeights& weights, int width, float* out) {
  const BandRows<const float>&a = differences.reference, &b = differences.distorted;
  for (int i = 0; i < width; ++i) {
    const auto squared = [i](const float* reference, const float* distorted) {
      return squared_difference(reference[i], distorted[i]);
    };
    const float low =
        (squared(a.low[0], b.low[0]) * kLowSquareX + squared(a.low[1], b.low[1]) * kLowSquareY) +
        squared(a.low[2], b.low[2]) * kLowSquareB;
    std::array<float, 2> fine{};
    for (size_t k = 0; k < fine.size(); ++k) {
      fine[k] = differences.lines[k][i] +
                asymmetric(a.high[k][i], b.high[k][i], weights.difference[k], weights.excess[k]);
    }
    const float x = fine[0] + squared(a.middle[0], b.middle[0]) * kMiddleX;
    const float y = (fine[1] + squared(a.middle[1], b.middle[1]) * kMiddleY) +
                    kMaskDifference * squared(differences.reference_activity, differences.distorted_activity);
    const float blue = squared(a.middle[2], b.middle[2]) * kMiddleB;
    const float mask = differences.mask[i];
    out[i] = root(low * visibility(mask, kCoarseOffset, kCoarseScale, kCoarseFactor) +
                  ((x + y) + blue) * visibility(mask, kFineOffset, kFineScale, kFineFactor));
  }
}

void scalar::add_half(const float* half, int width, float* map) {
  for (int x = 0; x < width; ++x) map[x] = kWholeScale * map[x] + kHalfScale * half[x / 2];
}

}  // namespace vq::butteraugli
#endif  // HWY_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::butteraugli::HWY_NAMESPACE {
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

HWY_INLINE V32 plus(V32 a, V32 b) { return hn::Add(a, b); }
HWY_INLINE V32 plus(V32 a, V32 b, V32 c) { return hn::Add(hn::Add(a, b), c); }
HWY_INLINE V32 plus(V32 a, V32 b, V32 c, V32 d) { return hn::Add(hn::Add(hn::Add(a, b), c), d); }
HWY_INLINE V32 plus_square(V32 sum, V32 x) { return hn::Add(sum, hn::Mul(x, x)); }

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

void erode(const std::array<const float*, 3>& rows, int width, float* out) {
  for (int x = 0; x < width; x += lanes()) {
    const V32 value = load(rows[1] + x), twice = hn::Add(value, value);
    V32 first = hn::Min(value, twice), second = twice, third = hn::Max(value, twice);
    const auto add = [&](const float* at) HWY_ATTR {
      const V32 other = load(at + x);
      third = hn::Min(third, hn::Max(second, other));
      second = hn::Min(second, hn::Max(first, other));
      first = hn::Min(first, other);
    };
    for (const size_t row : {size_t{0}, size_t{2}}) {
      add(rows[row] - kErosionReach);
      add(rows[row]);
      add(rows[row] + kErosionReach);
    }
    add(rows[1] - kErosionReach);
    add(rows[1] + kErosionReach);
    const V32 two = hn::Add(hn::Mul(all(kSmallest), first), hn::Mul(all(kSecondSmallest), second));
    store(hn::Add(two, hn::Mul(all(kThirdSmallest), third)), out + x);
  }
}

HWY_INLINE V32 square_of(V32 x) { return hn::Mul(x, x); }

HWY_INLINE V32 asymmetric_of(V32 a, V32 b, float difference_weight, float excess_weight) {
  const V32 size = hn::Abs(a), small = hn::Mul(all(kSmallRatio), size);
  const V32 same = hn::IfThenElse(hn::Lt(a, all(0)), hn::Neg(b), b);
  const V32 excess = settled(hn::IfThenElse(hn::Lt(same, small), hn::Sub(small, same),
                                            hn::IfThenElseZero(hn::Gt(same, size), hn::Sub(same, size))));
  return hn::Add(hn::Mul(square_of(settled(hn::Sub(a, b))), all(difference_weight)),
                 hn::Mul(all(excess_weight), square_of(excess)));
}

HWY_INLINE V32 visibility_of(V32 mask, float offset, float scale, float factor) {
  const V32 inverse = reciprocal(hn::Add(hn::Mul(all(scale), mask), all(offset)));
  return square_of(hn::Mul(all(kMaskScale), hn::Add(all(1), hn::Mul(all(factor), inverse))));
}

void map_row(const Differences& differences, const SquareWeights& weights, int width, float* out) {
  const BandRows<const float>&a = differences.reference, &b = differences.distorted;
  for (int i = 0; i < width; i += lanes()) {
    const auto squared = [i](const float* reference, const float* distorted, float weight) HWY_ATTR {
      return hn::Mul(square_of(settled(hn::Sub(load(reference + i), load(distorted + i)))), all(weight));
    };
    const V32 low =
        hn::Add(hn::Add(squared(a.low[0], b.low[0], kLowSquareX), squared(a.low[1], b.low[1], kLowSquareY)),
                squared(a.low[2], b.low[2], kLowSquareB));
    const auto fine = [&](size_t k) HWY_ATTR {
      return hn::Add(load(differences.lines[k] + i), asymmetric_of(load(a.high[k] + i), load(b.high[k] + i),
                                                                   weights.difference[k], weights.excess[k]));
    };
    const V32 x = hn::Add(fine(0), squared(a.middle[0], b.middle[0], kMiddleX));
    const V32 masks =
        hn::Sub(load(differences.reference_activity + i), load(differences.distorted_activity + i));
    const V32 y = hn::Add(hn::Add(fine(1), squared(a.middle[1], b.middle[1], kMiddleY)),
                          hn::Mul(all(kMaskDifference), square_of(settled(masks))));
    const V32 blue = squared(a.middle[2], b.middle[2], kMiddleB);
    const V32 mask = load(differences.mask + i);
    const V32 coarse = hn::Mul(low, visibility_of(mask, kCoarseOffset, kCoarseScale, kCoarseFactor));
    store(root(hn::Add(coarse, hn::Mul(hn::Add(hn::Add(x, y), blue),
                                       visibility_of(mask, kFineOffset, kFineScale, kFineFactor)))),
          out + i);
  }
}

void add_half(const float* half, int width, float* map) {
  const V32 whole = all(kWholeScale), part = all(kHalfScale);
  const int step = lanes();
  HWY_ALIGN float twice[2 * kRowGuardBytes / sizeof(float)];
  int x = 0;
  for (; x + 2 * step <= width; x += 2 * step) {
    const V32 value = load(half + x / 2);
    hn::StoreInterleaved2(value, value, F32(), twice);
    for (int i = 0; i < 2 * step; i += step) {
      float* const at = map + x + i;
      store(hn::Add(hn::Mul(whole, load(at)), hn::Mul(part, load(twice + i))), at);
    }
  }
  scalar::add_half(half + x / 2, width - x, map + x);
}

}  // namespace vq::butteraugli::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::butteraugli, line_differences, add_lines, erode, map_row, add_half)
#endif  // HWY_ONCE
