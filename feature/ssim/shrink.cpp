#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/ssim/shrink.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "feature/simd_targets.h"
#include "feature/ssim/plan.h"

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

}  // namespace vq::ssim
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::ssim {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::halve;
#else

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
HWY_INLINE void store(hn::VFromD<F64> sum, float* out) {
  hn::StoreU(hn::DemoteTo(F32(), sum), F32(), out);
}

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

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::ssim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_STAGE(vq::ssim, halve)

namespace vq::ssim {
namespace {

template <typename T>
void shrink_plane(PlaneView<const T> in, int bit_depth, int factor, PlaneView<float> out) {
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

}  // namespace

void scalar::shrink(const Luma& luma, int factor, [[maybe_unused]] Scratch& scratch, PlaneView<float> out) {
  HWY_DASSERT(can_be_shrunk(luma, factor, scratch, out));
  if (luma.view.is_u8()) return shrink_plane(luma.view.u8, luma.bit_depth, factor, out);
  shrink_plane(luma.view.u16, luma.bit_depth, factor, out);
}

}  // namespace vq::ssim
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::ssim {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::shrink;
#else

namespace hn = hwy::HWY_NAMESPACE;

using F64 = hn::ScalableTag<double>;
using F32 = hn::Rebind<float, F64>;
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

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::ssim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_STAGE(vq::ssim, shrink)
#endif  // HWY_ONCE
