#define HWY_TARGET_INCLUDE "feature/butteraugli/bands.cpp"
#include <hwy/foreach_target.h>

#include "feature/butteraugli/arithmetic-inl.h"
#include "feature/butteraugli/stages.h"

#if HWY_ONCE
namespace vq::butteraugli {

// Light that the three receptors absorb.
static std::array<float, 3> absorbed(float r, float g, float b) {
  return {kRed0 * r + (kGreen0 * g + (kBlue0 * b + kDark01)),
          kRed1 * r + (kGreen1 * g + (kBlue1 * b + kDark01)),
          kRed2 * r + (kGreen2 * g + (kBlue2 * b + kDark2))};
}

// How sensitive a receptor is that is adapted to `light`.
static float sensitivity(float light, float dark) {
  const float p = std::max(light, dark);
  const float response = kGammaFactor * logarithm(p + kGammaLight) + kGammaOffset;
  return std::max(quotient(response, p), kLeastSensitivity);
}

// x without what is within the limit.
static float without(float x, float limit) { return x > limit ? x - limit : x < -limit ? x + limit : 0.0F; }
// x away from 0 by the limit, or its double.
static float amplified(float x, float limit) {
  return x > limit ? x + limit : x < -limit ? x - limit : x + x;
}
// x with a smaller slope beyond the limit.
static float clamped(float x, float limit) {
  if (x >= limit) return (x - limit) * kClampSlope + limit;
  return x < -limit ? (x + limit) * kClampSlope - limit : x;
}

void scalar::filter_row(const float* in, const RowFilter& filter, float* out) {
  const Kernel& kernel = filter.kernel;
  const int reach = kernel.reach;
  for (int x = 0; x < filter.width; ++x) {
    float sum = kernel.taps[static_cast<size_t>(reach)] * (in[x - reach] + in[x + reach]);
    for (int i = reach - 1; i > 0; --i)
      sum = sum + kernel.taps[static_cast<size_t>(i)] * (in[x - i] + in[x + i]);
    out[x] = settled((sum + kernel.taps[0] * in[x]) * filter.factors[x]);
  }
}

void scalar::filter_columns(const float* const* rows, int width, const Kernel& kernel,
                            const FilteredRows& out) {
  const int reach = kernel.reach;
  for (int y = 0; y < out.count; ++y) {
    const auto at = static_cast<size_t>(y);
    for (int x = 0; x < width; ++x) {
      float sum = kernel.taps[static_cast<size_t>(reach)] * (rows[y][x] + rows[y + 2 * reach][x]);
      for (int i = reach - 1; i > 0; --i)
        sum = sum + kernel.taps[static_cast<size_t>(i)] * (rows[y + reach - i][x] + rows[y + reach + i][x]);
      out.rows[at][x] = settled((sum + kernel.taps[0] * rows[y + reach][x]) * out.factors[at]);
    }
  }
}

void scalar::halve(const float* upper, const float* lower, int width, float* out) {
  for (int x = 0; x < width; ++x) {
    const float left = 0.25F * upper[2 * x], right = 0.25F * upper[2 * x + 1];
    out[x] = ((left + right) + 0.25F * lower[2 * x]) + 0.25F * lower[2 * x + 1];
  }
}

void scalar::opsin(const Light& light, int width, const Rows3<float>& out) {
  const std::array<float, 3> kDark = {kDark01, kDark01, kDark2};
  for (int x = 0; x < width; ++x) {
    const auto absorbed_of = [&](const Rows3<const float>& rows) {
      return absorbed(rows[0][x] * light.intensity, rows[1][x] * light.intensity,
                      rows[2][x] * light.intensity);
    };
    const std::array<float, 3> around = absorbed_of(light.around);
    std::array<float, 3> seen = absorbed_of(light.here);
    for (size_t i = 0; i < seen.size(); ++i)
      seen[i] = std::max(seen[i] * sensitivity(around[i], kDark[i]), kDark[i]);
    out[0][x] = seen[0] - seen[1];
    out[1][x] = seen[0] + seen[1];
    out[2][x] = seen[2];
  }
}

void scalar::split_low(const Rows3<const float>& picture, int width, const Rows3<float>& low,
                       const Rows3<float>& middle) {
  for (int x = 0; x < width; ++x) {
    for (size_t i = 0; i < low.size(); ++i) middle[i][x] = settled(picture[i][x] - low[i][x]);
    const float y = low[1][x];
    low[0][x] = low[0][x] * kLowX;
    low[1][x] = y * kLowY;
    low[2][x] = (low[2][x] + kLowBlueOfY * y) * kLowB;
  }
}

void scalar::split_middle(const Rows3<const float>& blurred, int width, const Rows3<float>& middle,
                          const Rows2<float>& high) {
  for (int x = 0; x < width; ++x) {
    const float y = settled(middle[1][x] - blurred[1][x]);
    const float suppression = kSuppression * reciprocal(y * y + kSuppression);
    high[0][x] = (suppression * kSuppressed + kUnsuppressed) * settled(middle[0][x] - blurred[0][x]);
    high[1][x] = y;
    middle[0][x] = without(blurred[0][x], kRemoveMiddleX);
    middle[1][x] = amplified(blurred[1][x], kAmplifyMiddleY);
    middle[2][x] = blurred[2][x];
  }
}

void scalar::split_high(const Rows2<const float>& blurred, int width, const Rows2<float>& high,
                        const Rows2<float>& finest) {
  for (int x = 0; x < width; ++x) {
    finest[0][x] = without(high[0][x] - blurred[0][x], kRemoveFinestX);
    high[0][x] = without(blurred[0][x], kRemoveHighX);
    const float y = clamped(blurred[1][x], kClampHighY);
    finest[1][x] = clamped(settled(high[1][x] - y), kClampFinestY) * kFinestFactorY;
    high[1][x] = amplified(y * kHighFactorY, kAmplifyHighY);
  }
}

void scalar::activity(const Rows2<const float>& high, const Rows2<const float>& finest, int width,
                      float* out) {
  for (int i = 0; i < width; ++i) {
    const float x = settled((finest[0][i] + high[0][i]) * kActivityX);
    const float y = settled(finest[1][i] * kActivityY + high[1][i] * kActivityY);
    out[i] = root(kActivityFactor * root(x * x + y * y) + kActivityBias) - kActivityRoot;
  }
}

}  // namespace vq::butteraugli
#endif  // HWY_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::butteraugli::HWY_NAMESPACE {
// Loops over taps are unrolled, as the compiler knows their number.
template <int reach>
void filter_row_of(const float* in, const RowFilter& filter, float* out) {
  const Kernel& kernel = filter.kernel;
  for (int x = 0; x < filter.width; x += lanes()) {
    V32 sum = hn::Mul(all(kernel.taps[reach]), hn::Add(load(in + x - reach), load(in + x + reach)));
    for (int i = reach - 1; i > 0; --i) {
      const V32 pair = hn::Add(load(in + x - i), load(in + x + i));
      sum = hn::Add(sum, hn::Mul(all(kernel.taps[static_cast<size_t>(i)]), pair));
    }
    sum = hn::Add(sum, hn::Mul(all(kernel.taps[0]), load(in + x)));
    store(settled(hn::Mul(sum, load(filter.factors + x))), out + x);
  }
}

// A few rows of a part of the columns after each other, so that what they read stays in the nearest cache.
constexpr int kColumnsAtOnce = 256;

template <int reach>
void filter_columns_of(const float* const* all_rows, int width, const Kernel& kernel,
                       const FilteredRows& out) {
  for (int first = 0; first < width; first += kColumnsAtOnce) {
    const int end = HWY_MIN(first + kColumnsAtOnce, width);
    for (size_t y = 0; y < static_cast<size_t>(out.count); ++y) {
      const float* const* const rows = all_rows + y;
      const V32 factor = all(out.factors[y]);
      for (int x = first; x < end; x += lanes()) {
        V32 sum = hn::Mul(all(kernel.taps[reach]), hn::Add(load(rows[0] + x), load(rows[2 * reach] + x)));
        for (int i = reach - 1; i > 0; --i) {
          const V32 pair = hn::Add(load(rows[reach - i] + x), load(rows[reach + i] + x));
          sum = hn::Add(sum, hn::Mul(all(kernel.taps[static_cast<size_t>(i)]), pair));
        }
        sum = hn::Add(sum, hn::Mul(all(kernel.taps[0]), load(rows[reach] + x)));
        store(settled(hn::Mul(sum, factor)), out.rows[y] + x);
      }
    }
  }
}

void filter_row(const float* in, const RowFilter& filter, float* out) {
  switch (filter.kernel.reach) {
    case 2:
      return filter_row_of<2>(in, filter, out);
    case 3:
      return filter_row_of<3>(in, filter, out);
    case 6:
      return filter_row_of<6>(in, filter, out);
    case 7:
      return filter_row_of<7>(in, filter, out);
    case 16:
      return filter_row_of<16>(in, filter, out);
    default:
      return scalar::filter_row(in, filter, out);
  }
}

void filter_columns(const float* const* rows, int width, const Kernel& kernel, const FilteredRows& out) {
  switch (kernel.reach) {
    case 2:
      return filter_columns_of<2>(rows, width, kernel, out);
    case 3:
      return filter_columns_of<3>(rows, width, kernel, out);
    case 6:
      return filter_columns_of<6>(rows, width, kernel, out);
    case 7:
      return filter_columns_of<7>(rows, width, kernel, out);
    case 16:
      return filter_columns_of<16>(rows, width, kernel, out);
    default:
      return scalar::filter_columns(rows, width, kernel, out);
  }
}

void halve(const float* upper, const float* lower, int width, float* out) {
  const V32 quarter = all(0.25F);
  int x = 0;
  for (; x + lanes() <= width; x += lanes()) {
    V32 a, b, c, d;
    hn::LoadInterleaved2(F32(), upper + 2 * x, a, b);
    hn::LoadInterleaved2(F32(), lower + 2 * x, c, d);
    const V32 above = hn::Add(hn::Mul(quarter, a), hn::Mul(quarter, b));
    store(hn::Add(hn::Add(above, hn::Mul(quarter, c)), hn::Mul(quarter, d)), out + x);
  }
  scalar::halve(upper + 2 * x, lower + 2 * x, width - x, out + x);
}

HWY_INLINE V32 absorbed_by(const std::array<float, 4>& receptor, V32 r, V32 g, V32 b) {
  const V32 blue = hn::Add(hn::Mul(all(receptor[2]), b), all(receptor[3]));
  return hn::Add(hn::Mul(all(receptor[0]), r), hn::Add(hn::Mul(all(receptor[1]), g), blue));
}

HWY_INLINE V32 sensitivity_of(V32 light, float dark) {
  const V32 p = hn::Max(light, all(dark));
  const V32 logarithms = logarithm(hn::Add(p, all(kGammaLight)));
  const V32 response = hn::Add(hn::Mul(all(kGammaFactor), logarithms), all(kGammaOffset));
  return hn::Max(quotient(response, p), all(kLeastSensitivity));
}

const std::array<std::array<float, 4>, 3> kReceptors = {
    {{kRed0, kGreen0, kBlue0, kDark01}, {kRed1, kGreen1, kBlue1, kDark01}, {kRed2, kGreen2, kBlue2, kDark2}}};

void opsin(const Light& light, int width, const Rows3<float>& out) {
  const V32 unit = all(light.intensity);
  for (int x = 0; x < width; x += lanes()) {
    const auto seen_by = [&](const std::array<float, 4>& receptor) HWY_ATTR {
      const auto absorbed_of = [&](const Rows3<const float>& rows) HWY_ATTR {
        return absorbed_by(receptor, hn::Mul(load(rows[0] + x), unit), hn::Mul(load(rows[1] + x), unit),
                           hn::Mul(load(rows[2] + x), unit));
      };
      const V32 sensitivity = sensitivity_of(absorbed_of(light.around), receptor[3]);
      return hn::Max(hn::Mul(absorbed_of(light.here), sensitivity), all(receptor[3]));
    };
    const V32 first = seen_by(kReceptors[0]), second = seen_by(kReceptors[1]), third = seen_by(kReceptors[2]);
    store(hn::Sub(first, second), out[0] + x);
    store(hn::Add(first, second), out[1] + x);
    store(third, out[2] + x);
  }
}

HWY_INLINE V32 without_part(V32 x, float limit) {
  const V32 above = hn::Sub(x, all(limit)), below = hn::Add(x, all(limit));
  return hn::IfThenElse(hn::Gt(x, all(limit)), above, hn::IfThenElseZero(hn::Lt(x, all(-limit)), below));
}
HWY_INLINE V32 amplified_part(V32 x, float limit) {
  const V32 above = hn::Add(x, all(limit)), below = hn::Sub(x, all(limit));
  return hn::IfThenElse(hn::Gt(x, all(limit)), above,
                        hn::IfThenElse(hn::Lt(x, all(-limit)), below, hn::Add(x, x)));
}
HWY_INLINE V32 clamped_part(V32 x, float limit) {
  const V32 most = all(limit), slope = all(kClampSlope);
  const V32 above = hn::Add(hn::Mul(hn::Sub(x, most), slope), most);
  const V32 below = hn::Sub(hn::Mul(hn::Add(x, most), slope), most);
  return hn::IfThenElse(hn::Ge(x, most), above, hn::IfThenElse(hn::Lt(x, all(-limit)), below, x));
}

void split_low(const Rows3<const float>& picture, int width, const Rows3<float>& low,
               const Rows3<float>& middle) {
  for (int x = 0; x < width; x += lanes()) {
    const V32 low_x = load(low[0] + x), low_y = load(low[1] + x), low_b = load(low[2] + x);
    store(settled(hn::Sub(load(picture[0] + x), low_x)), middle[0] + x);
    store(settled(hn::Sub(load(picture[1] + x), low_y)), middle[1] + x);
    store(settled(hn::Sub(load(picture[2] + x), low_b)), middle[2] + x);
    store(hn::Mul(low_x, all(kLowX)), low[0] + x);
    store(hn::Mul(low_y, all(kLowY)), low[1] + x);
    store(hn::Mul(hn::Add(low_b, hn::Mul(all(kLowBlueOfY), low_y)), all(kLowB)), low[2] + x);
  }
}

void split_middle(const Rows3<const float>& blurred, int width, const Rows3<float>& middle,
                  const Rows2<float>& high) {
  const V32 bound = all(kSuppression);
  for (int x = 0; x < width; x += lanes()) {
    const V32 soft_x = load(blurred[0] + x), soft_y = load(blurred[1] + x);
    const V32 y = settled(hn::Sub(load(middle[1] + x), soft_y));
    const V32 suppression = hn::Mul(bound, reciprocal(hn::Add(hn::Mul(y, y), bound)));
    const V32 factor = hn::Add(hn::Mul(suppression, all(kSuppressed)), all(kUnsuppressed));
    store(hn::Mul(factor, settled(hn::Sub(load(middle[0] + x), soft_x))), high[0] + x);
    store(y, high[1] + x);
    store(without_part(soft_x, kRemoveMiddleX), middle[0] + x);
    store(amplified_part(soft_y, kAmplifyMiddleY), middle[1] + x);
    store(load(blurred[2] + x), middle[2] + x);
  }
}

void split_high(const Rows2<const float>& blurred, int width, const Rows2<float>& high,
                const Rows2<float>& finest) {
  for (int x = 0; x < width; x += lanes()) {
    const V32 soft_x = load(blurred[0] + x), high_x = load(high[0] + x), high_y = load(high[1] + x);
    store(without_part(hn::Sub(high_x, soft_x), kRemoveFinestX), finest[0] + x);
    store(without_part(soft_x, kRemoveHighX), high[0] + x);
    const V32 y = clamped_part(load(blurred[1] + x), kClampHighY);
    const V32 rest = clamped_part(settled(hn::Sub(high_y, y)), kClampFinestY);
    store(hn::Mul(rest, all(kFinestFactorY)), finest[1] + x);
    store(amplified_part(hn::Mul(y, all(kHighFactorY)), kAmplifyHighY), high[1] + x);
  }
}

void activity(const Rows2<const float>& high, const Rows2<const float>& finest, int width, float* out) {
  const V32 factor_y = all(kActivityY);
  for (int i = 0; i < width; i += lanes()) {
    const V32 x = settled(hn::Mul(hn::Add(load(finest[0] + i), load(high[0] + i)), all(kActivityX)));
    const V32 y =
        settled(hn::Add(hn::Mul(load(finest[1] + i), factor_y), hn::Mul(load(high[1] + i), factor_y)));
    const V32 size = root(hn::Add(hn::Mul(x, x), hn::Mul(y, y)));
    const V32 biased = hn::Add(hn::Mul(all(kActivityFactor), size), all(kActivityBias));
    store(hn::Sub(root(biased), all(kActivityRoot)), out + i);
  }
}

}  // namespace vq::butteraugli::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::butteraugli, filter_row, filter_columns, halve, opsin, split_low, split_middle, split_high,
            activity)
#endif  // HWY_ONCE
