#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/butteraugli/filters.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/butteraugli/arithmetic-inl.h"
#include "feature/butteraugli/stages.h"
#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq::butteraugli {

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

}  // namespace vq::butteraugli
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::butteraugli {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::filter_columns;
using scalar::filter_row;
using scalar::halve;
#else

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

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::butteraugli
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_STAGE(vq::butteraugli, filter_row)
VQ_STAGE(vq::butteraugli, filter_columns)
VQ_STAGE(vq::butteraugli, halve)
#endif  // HWY_ONCE
