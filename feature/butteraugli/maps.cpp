#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/butteraugli/maps.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "core/plane.h"
#include "feature/butteraugli/arithmetic-inl.h"
#include "feature/butteraugli/stages.h"
#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq::butteraugli {
namespace {

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

HWY_BEFORE_NAMESPACE();
namespace vq::butteraugli {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::add_half;
using scalar::erode;
using scalar::map_row;
#else

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

HWY_INLINE V32 square_of(V32 x) {
  return hn::Mul(x, x);
}

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

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::butteraugli
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_STAGE(vq::butteraugli, erode)
VQ_STAGE(vq::butteraugli, map_row)
VQ_STAGE(vq::butteraugli, add_half)
#endif  // HWY_ONCE
