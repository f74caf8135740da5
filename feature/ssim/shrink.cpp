#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/ssim/shrink.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/simd_targets.h"
#include "feature/ssim/stages.h"

#if HWY_ONCE
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
namespace vq::ssim {
HWY_EXPORT(shrink);

Shrink simd::shrink_for(int64_t target) {
  return for_target(HWY_DISPATCH_TABLE(shrink), target);
}

}  // namespace vq::ssim
#endif  // HWY_ONCE
