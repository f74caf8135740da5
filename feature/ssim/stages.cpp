#define HWY_TARGET_INCLUDE "feature/ssim/stages.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/ssim/ssim.h"

#if HWY_ONCE
namespace vq::ssim {

void scalar::halve(PlaneView<const float> in, [[maybe_unused]] Scratch& scratch, PlaneView<float> out) {
  HWY_DASSERT(can_be_halved(in, scratch, out));
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) {
      double sum = 0;
      for (int v = 0; v < kLowPassTaps; ++v) {
        const float* const row = in.row(mirrored(2 * y + v - kLowPassReach, in.height));
        for (int u = 0; u < kLowPassTaps; ++u) {
          sum += row[mirrored(2 * x + u - kLowPassReach, in.width)] * low_pass_tap(v, u);
        }
      }
      out.row(y)[x] = static_cast<float>(sum);
    }
  }
}

template <typename T>
static void shrink_plane(PlaneView<const T> in, int bit_depth, int factor, PlaneView<float> out) {
  const float unit = 1.0F / static_cast<float>(1 << (bit_depth - 8));
  const float weight = 1.0F / static_cast<float>(factor * factor);
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) {
      double sum = 0;
      for (int v = 0; v < factor; ++v) {
        const T* const row = in.row(mirrored(y * factor + v - factor / 2, in.height));
        for (int u = 0; u < factor; ++u) {
          const float sample = row[mirrored(x * factor + u - factor / 2, in.width)] * unit;
          sum += sample * weight;
        }
      }
      out.row(y)[x] = static_cast<float>(sum);
    }
  }
}

void scalar::shrink(const Luma& luma, int factor, [[maybe_unused]] Scratch& scratch, PlaneView<float> out) {
  HWY_DASSERT(can_be_shrunk(luma, factor, scratch, out));
  if (luma.view.is_u8()) return shrink_plane(luma.view.u8, luma.bit_depth, factor, out);
  shrink_plane(luma.view.u16, luma.bit_depth, factor, out);
}

// Weighted mean of the samples tap(0) to tap(kTaps - 1).
template <typename Tap>
static float weighted_mean(const Tap& tap) {
  double sum = 0;
  for (int i = 0; i < kTaps; ++i) sum += tap(i) * kWindow[static_cast<size_t>(i)];
  return static_cast<float>(sum);
}

static void filter_row(const float* in, int count, float* out) {
  for (int x = 0; x < count; ++x) out[x] = weighted_mean([&](int i) { return in[x + i]; });
}

static void filter_all(const float* a, const float* b, int y, int width, Scratch& scratch) {
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
static std::array<double, kParts> similarity(const std::array<float, kQuantities>& mean) {
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
static void compare_row(int y, int count, Scratch& scratch) {
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

Similarity scalar::compare(PlaneView<const float> a, PlaneView<const float> b, Scratch& scratch) {
  return compare_rows(
      a, b, scratch,
      [&](const float* row_a, const float* row_b, int y) { filter_all(row_a, row_b, y, a.width, scratch); },
      [&](int y, int count) { compare_row(y, count, scratch); });
}

}  // namespace vq::ssim
#endif  // HWY_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::ssim::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Floats come in vectors as long as doubles do, as every product is added to a sum in double.
using F64 = hn::ScalableTag<double>;
using F32 = hn::Rebind<float, F64>;
using WideF32 = hn::ScalableTag<float>;

// A row with its even and its odd samples apart, mirrored at both ends: those of a tap lie side by side for
// outputs that do. even[i] is sample 2 i, odd[i] sample 2 i + 1, from -kMargin on.
constexpr int kMargin = kLowPassReach / 2;
constexpr int kSlots = 16;
static_assert(kSlots >= kLowPassTaps && 2 * kSlots <= Scratch::kFloatRows);

struct SplitRow {
  float *even, *odd;
};
HWY_INLINE SplitRow split_row(Scratch& scratch, int y) {
  const int slot = 2 * (y % kSlots);
  return {scratch.floats.row(slot) + kMargin, scratch.floats.row(slot + 1) + kMargin};
}

void split(const float* in, int width, const SplitRow& out) {
  const WideF32 d;
  const int step = static_cast<int>(hn::Lanes(d)), count = halved(width) + kMargin;
  int i = 0;
  for (; 2 * (i + step) <= width; i += step) {
    auto even = hn::Undefined(d), odd = even;
    hn::LoadInterleaved2(d, in + 2 * i, even, odd);
    hn::StoreU(even, d, out.even + i);
    hn::StoreU(odd, d, out.odd + i);
  }
  const auto copy = [&](int to) {
    out.even[to] = in[mirrored(2 * to, width)];
    out.odd[to] = in[mirrored(2 * to + 1, width)];
  };
  for (; i < count; ++i) copy(i);
  for (i = -kMargin; i < 0; ++i) copy(i);
}

// Where the taps of an output row are; those of output x begin at x.
struct Taps {
  const float* samples[kLowPassTaps][kLowPassTaps];
};

HWY_INLINE hn::VFromD<F64> weighted(const float* in, hn::VFromD<F32> tap) {
  return hn::PromoteTo(F64(), hn::Mul(hn::LoadU(F32(), in), tap));
}
HWY_INLINE void store(hn::VFromD<F64> sum, float* out) { hn::StoreU(hn::DemoteTo(F32(), sum), F32(), out); }

void halve_vector(const Taps& taps, int x, float* out) {
  auto sum = hn::Zero(F64());
  for (int v = 0; v < kLowPassTaps; ++v) {
    for (int u = 0; u < kLowPassTaps; ++u) {
      sum = hn::Add(sum, weighted(taps.samples[v][u] + x, hn::Set(F32(), low_pass_tap(v, u))));
    }
  }
  store(sum, out + x);
}

// Four at a time, as each sum waits for its last addition.
void halve_four_vectors(const Taps& taps, int x, float* out) {
  const size_t step = hn::Lanes(F64());
  auto sum0 = hn::Zero(F64()), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  for (int v = 0; v < kLowPassTaps; ++v) {
    for (int u = 0; u < kLowPassTaps; ++u) {
      const float* const in = taps.samples[v][u] + x;
      const auto tap = hn::Set(F32(), low_pass_tap(v, u));
      sum0 = hn::Add(sum0, weighted(in, tap));
      sum1 = hn::Add(sum1, weighted(in + step, tap));
      sum2 = hn::Add(sum2, weighted(in + 2 * step, tap));
      sum3 = hn::Add(sum3, weighted(in + 3 * step, tap));
    }
  }
  store(sum0, out + x);
  store(sum1, out + x + step);
  store(sum2, out + x + 2 * step);
  store(sum3, out + x + 3 * step);
}

// Runs on behind the row up to a whole vector, into the guards.
void halve_row(const Taps& taps, int width, float* out) {
  const int step = static_cast<int>(hn::Lanes(F64()));
  int x = 0;
  for (; x + 4 * step <= width; x += 4 * step) halve_four_vectors(taps, x, out);
  for (; x < width; x += step) halve_vector(taps, x, out);
}

void halve(PlaneView<const float> in, Scratch& scratch, PlaneView<float> out) {
  HWY_DASSERT(can_be_halved(in, scratch, out));
  int next = 0;  // to be split
  for (int y = 0; y < out.height; ++y) {
    for (const int end = std::min(2 * y + kLowPassReach + 1, in.height); next < end; ++next) {
      split(in.row(next), in.width, split_row(scratch, next));
    }
    Taps taps;
    for (int v = 0; v < kLowPassTaps; ++v) {
      const SplitRow row = split_row(scratch, mirrored(2 * y + v - kLowPassReach, in.height));
      for (int u = 0; u < kLowPassTaps; ++u)
        taps.samples[v][u] = (u % 2 == 0 ? row.even : row.odd) + u / 2 - kMargin;
    }
    halve_row(taps, out.width, out.row(y));
  }
}

using S32 = hn::Rebind<int32_t, F64>;

template <typename T>
HWY_INLINE hn::VFromD<F32> load(const T* in, float unit) {
  const auto samples = hn::LoadU(hn::Rebind<T, F64>(), in);
  return hn::Mul(hn::ConvertTo(F32(), hn::PromoteTo(S32(), samples)), hn::Set(F32(), unit));
}

// Calls at(x) for vectors that cover a row. It has no guards: the last vector starts early, so that it ends
// with the row. Needs: a row of a vector or more.
template <class At>
HWY_INLINE void for_row(int width, const At& at) {
  const int step = static_cast<int>(hn::Lanes(F64()));
  int x = 0;
  for (; x + step <= width; x += step) at(x);
  if (x < width) at(width - step);
}

template <typename T>
void row_as_floats(const T* in, int width, float unit, float* out) {
  for_row(width, [&](int x) HWY_ATTR { hn::StoreU(load(in + x, unit), F32(), out + x); });
}

struct Scaling {
  float unit, weight;
};

// The sum of each column of a box.
template <typename T>
void add_columns(const T* const* rows, int factor, const Scaling& scaling, PlaneView<double> sums) {
  for_row(sums.width, [&](int x) HWY_ATTR {
    auto sum = hn::Zero(F64());
    for (int v = 0; v < factor; ++v) {
      const auto weighted = hn::Mul(load(rows[v] + x, scaling.unit), hn::Set(F32(), scaling.weight));
      sum = hn::Add(sum, hn::PromoteTo(F64(), weighted));
    }
    hn::StoreU(sum, F64(), sums.data + x);
  });
}

// Sums are exact in double, in whatever order: the product of the sample 1 lies between 2^e and 2^(e + 1),
// all products are multiples of 2^(e - 23), and 64 x 64 of them, each of a sample below 2^16, add up to less
// than 2^(e + 29). Hence columns first.
static_assert(kMaxShrink <= 64);
template <typename T>
void shrink_plane(PlaneView<const T> in, const Scaling& scaling, int factor, PlaneView<double> sums,
                  PlaneView<float> out) {
  for (int y = 0; y < out.height; ++y) {
    if (factor == 1) {
      row_as_floats(in.row(y), in.width, scaling.unit, out.row(y));
      continue;
    }
    const T* rows[kMaxShrink];
    for (int v = 0; v < factor; ++v) rows[v] = in.row(mirrored(y * factor + v - factor / 2, in.height));
    add_columns(rows, factor, scaling, sums);
    for (int x = 0; x < out.width; ++x) {
      const int first = x * factor - factor / 2;
      double sum = 0;
      if (0 <= first && first + factor <= in.width) {
        for (int u = 0; u < factor; ++u) sum += sums.data[first + u];
      } else {
        for (int u = 0; u < factor; ++u) sum += sums.data[mirrored(first + u, in.width)];
      }
      out.row(y)[x] = static_cast<float>(sum);
    }
  }
}

void shrink(const Luma& luma, int factor, Scratch& scratch, PlaneView<float> out) {
  HWY_DASSERT(can_be_shrunk(luma, factor, scratch, out));
  if (luma.view.width() < static_cast<int>(hn::Lanes(F64())))
    return scalar::shrink(luma, factor, scratch, out);
  const Scaling scaling = {.unit = 1.0F / static_cast<float>(1 << (luma.bit_depth - 8)),
                           .weight = 1.0F / static_cast<float>(factor * factor)};
  const PlaneView<double> sums = scratch.doubles.view(luma.view.width(), 1);
  if (luma.view.is_u8()) return shrink_plane(luma.view.u8, scaling, factor, sums, out);
  shrink_plane(luma.view.u16, scaling, factor, sums, out);
}

// Floats come in vectors as long as doubles do, as every product is added to a sum in double.
using V64 = hn::VFromD<F64>;
using V32 = hn::VFromD<F32>;

HWY_INLINE V64 weighted_tap(const float* in, int tap) {
  return hn::PromoteTo(F64(),
                       hn::Mul(hn::LoadU(F32(), in), hn::Set(F32(), kWindow[static_cast<size_t>(tap)])));
}

// Weighted mean of the samples in[0], in[step], ...
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

HWY_INLINE V64 in_double(V32 v) { return hn::PromoteTo(F64(), v); }
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
      [&](const float* row_a, const float* row_b, int y) {
        HWY_NAMESPACE::filter_all(row_a, row_b, y, a.width, scratch);
      },
      [&](int y, int count) { HWY_NAMESPACE::compare_row(y, count, scratch); });
}

}  // namespace vq::ssim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::ssim, halve, shrink, compare)
#endif  // HWY_ONCE
