#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/ssim/compare.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "feature/simd_targets.h"
#include "feature/ssim/plan.h"

#if HWY_ONCE
namespace vq::ssim {
namespace {

// Of the samples tap(0) to tap(kTaps - 1).
template <typename Tap>
float weighted_mean(const Tap& tap) {
  double sum = 0;
  for (int i = 0; i < kTaps; ++i) sum += tap(i) * kWindow[static_cast<size_t>(i)];
  return static_cast<float>(sum);
}

void filter_row(const float* in, int count, float* out) {
  for (int x = 0; x < count; ++x) out[x] = weighted_mean([&](int i) { return in[x + i]; });
}

void filter_all(const float* a, const float* b, int y, int width, Scratch& scratch) {
  for (int x = 0; x < width; ++x) {
    product_row(scratch, kSquareA)[x] = a[x] * a[x];
    product_row(scratch, kSquareB)[x] = b[x] * b[x];
    product_row(scratch, kProduct)[x] = a[x] * b[x];
  }
  const int count = width - kTaps + 1;
  filter_row(a, count, filtered_row(scratch, kA, y));
  filter_row(b, count, filtered_row(scratch, kB, y));
  for (const Quantity product : {kSquareA, kSquareB, kProduct}) {
    filter_row(product_row(scratch, product), count, filtered_row(scratch, product, y));
  }
}

// With the means of all quantities at one position.
std::array<double, kParts> similarity(const std::array<float, kQuantities>& mean) {
  const auto [c1, c2, c3] = Constants();
  const float a = mean[kA], b = mean[kB];
  const float variance_a = std::max(mean[kSquareA] - a * a, 0.0F),
              variance_b = std::max(mean[kSquareB] - b * b, 0.0F);
  const float covariance = mean[kProduct] - a * b;
  const float deviations = std::sqrt(variance_a * variance_b);
  const double luminance = (2.0 * a * b + c1) / (a * a + b * b + c1);
  const double contrast = (2.0 * deviations + c2) / (variance_a + variance_b + c2);
  const float counted = covariance < 0 && deviations <= 0 ? 0 : covariance;
  const float structure = (counted + c3) / (deviations + c3);
  return {luminance, contrast, structure, luminance * contrast * structure};
}

// y: the last row of the window.
void compare_row(int y, int count, Scratch& scratch) {
  for (int x = 0; x < count; ++x) {
    std::array<float, kQuantities> mean{};
    for (int q = 0; q < kQuantities; ++q) {
      mean[static_cast<size_t>(q)] = weighted_mean(
          [&](int i) { return filtered_row(scratch, static_cast<Quantity>(q), y - kTaps + 1 + i)[x]; });
    }
    const std::array<double, kParts> parts = similarity(mean);
    for (int part = 0; part < kParts; ++part) scratch.doubles.row(part)[x] = parts[static_cast<size_t>(part)];
  }
}

}  // namespace

Similarity scalar::compare(PlaneView<const float> a, PlaneView<const float> b, Scratch& scratch) {
  return compare_rows(
      a, b, scratch,
      [&](const float* row_a, const float* row_b, int y) { filter_all(row_a, row_b, y, a.width, scratch); },
      [&](int y, int count) { compare_row(y, count, scratch); });
}

}  // namespace vq::ssim
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::ssim {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::compare;
#else

namespace hn = hwy::HWY_NAMESPACE;

// Floats come in vectors as long as doubles do, as every product is added to a sum in double.
using F64 = hn::ScalableTag<double>;
using F32 = hn::Rebind<float, F64>;
using V64 = hn::VFromD<F64>;
using V32 = hn::VFromD<F32>;
using WideF32 = hn::ScalableTag<float>;

HWY_INLINE V64 weighted_tap(const float* in, int tap) {
  return hn::PromoteTo(F64(),
                       hn::Mul(hn::LoadU(F32(), in), hn::Set(F32(), kWindow[static_cast<size_t>(tap)])));
}

// Of the samples in[0], in[step], ...
HWY_INLINE V32 weighted_mean(const float* in, ptrdiff_t step) {
  V64 sum = weighted_tap(in, 0);
  for (int i = 1; i < kTaps; ++i) sum = hn::Add(sum, weighted_tap(in + i * step, i));
  return hn::DemoteTo(F32(), sum);
}

// Both run on behind `count` up to a whole vector, into the guards.
HWY_INLINE void filter_row(const float* in, int count, float* out) {
  const int step = static_cast<int>(hn::Lanes(F64()));
  for (int x = 0; x < count; x += step) hn::StoreU(weighted_mean(in + x, 1), F32(), out + x);
}
HWY_INLINE void multiply_rows(const float* a, const float* b, int width, float* out) {
  const WideF32 d;
  const int step = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += step)
    hn::StoreU(hn::Mul(hn::LoadU(d, a + x), hn::LoadU(d, b + x)), d, out + x);
}

void filter_all(const float* a, const float* b, int y, int width, Scratch& scratch) {
  multiply_rows(a, a, width, product_row(scratch, kSquareA));
  multiply_rows(b, b, width, product_row(scratch, kSquareB));
  multiply_rows(a, b, width, product_row(scratch, kProduct));
  const int count = width - kTaps + 1;
  filter_row(a, count, filtered_row(scratch, kA, y));
  filter_row(b, count, filtered_row(scratch, kB, y));
  for (const Quantity product : {kSquareA, kSquareB, kProduct}) {
    filter_row(product_row(scratch, product), count, filtered_row(scratch, product, y));
  }
}

// The rows of the window, from the top.
struct Window {
  const float* rows[kQuantities][kTaps];
};

HWY_INLINE V32 weighted_mean(const Window& window, Quantity quantity, int x) {
  V64 sum = weighted_tap(window.rows[quantity][0] + x, 0);
  for (int i = 1; i < kTaps; ++i) sum = hn::Add(sum, weighted_tap(window.rows[quantity][i] + x, i));
  return hn::DemoteTo(F32(), sum);
}

HWY_INLINE V64 in_double(V32 v) {
  return hn::PromoteTo(F64(), v);
}
HWY_INLINE V32 variance(V32 mean_square, V32 mean) {
  return hn::Max(hn::Sub(mean_square, hn::Mul(mean, mean)), hn::Zero(F32()));
}

HWY_INLINE V64 luminance(V32 a, V32 b, float c1) {
  const V64 product = hn::Mul(hn::Mul(hn::Set(F64(), 2.0), in_double(a)), in_double(b));
  const V32 squares = hn::Add(hn::Mul(a, a), hn::Mul(b, b));
  return hn::Div(hn::Add(product, hn::Set(F64(), double{c1})),
                 in_double(hn::Add(squares, hn::Set(F32(), c1))));
}
HWY_INLINE V64 contrast(V32 deviations, V32 variances, float c2) {
  const V64 twice = hn::Mul(hn::Set(F64(), 2.0), in_double(deviations));
  return hn::Div(hn::Add(twice, hn::Set(F64(), double{c2})),
                 in_double(hn::Add(variances, hn::Set(F32(), c2))));
}
HWY_INLINE V64 structure(V32 deviations, V32 covariance, float c3) {
  const V32 zero = hn::Zero(F32());
  const auto is_left_out = hn::And(hn::Lt(covariance, zero), hn::Le(deviations, zero));
  const V32 counted = hn::IfThenZeroElse(is_left_out, covariance);
  return in_double(hn::Div(hn::Add(counted, hn::Set(F32(), c3)), hn::Add(deviations, hn::Set(F32(), c3))));
}

HWY_INLINE void compare_vector(const Window& window, int x, Scratch& scratch) {
  const V32 a = weighted_mean(window, kA, x), b = weighted_mean(window, kB, x);
  const V32 variance_a = variance(weighted_mean(window, kSquareA, x), a);
  const V32 variance_b = variance(weighted_mean(window, kSquareB, x), b);
  const V32 covariance = hn::Sub(weighted_mean(window, kProduct, x), hn::Mul(a, b));
  const V32 deviations = hn::Sqrt(hn::Mul(variance_a, variance_b));
  const Constants constants;
  const V64 l = luminance(a, b, constants.c1);
  const V64 c = contrast(deviations, hn::Add(variance_a, variance_b), constants.c2);
  const V64 s = structure(deviations, covariance, constants.c3);
  hn::StoreU(l, F64(), scratch.doubles.row(kLuminance) + x);
  hn::StoreU(c, F64(), scratch.doubles.row(kContrast) + x);
  hn::StoreU(s, F64(), scratch.doubles.row(kStructure) + x);
  hn::StoreU(hn::Mul(hn::Mul(l, c), s), F64(), scratch.doubles.row(kPartProduct) + x);
}

void compare_row(int y, int count, Scratch& scratch) {
  Window window;
  for (int q = 0; q < kQuantities; ++q) {
    for (int i = 0; i < kTaps; ++i) {
      window.rows[q][i] = filtered_row(scratch, static_cast<Quantity>(q), y - kTaps + 1 + i);
    }
  }
  const int step = static_cast<int>(hn::Lanes(F64()));
  for (int x = 0; x < count; x += step) compare_vector(window, x, scratch);
}

Similarity compare(PlaneView<const float> a, PlaneView<const float> b, Scratch& scratch) {
  return compare_rows(
      a, b, scratch,
      [&](const float* row_a, const float* row_b, int y) { filter_all(row_a, row_b, y, a.width, scratch); },
      [&](int y, int count) { compare_row(y, count, scratch); });
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::ssim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_STAGE(vq::ssim, compare)
#endif  // HWY_ONCE
