#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/cambi/decimate.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/cambi/stages.h"
#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq::cambi::scalar {
namespace {

// Every sample is read before anything is written over it, so the planes may be the same.
template <typename T>
void decimate(PlaneView<const T> in, PlaneView<T> out) {
  HWY_DASSERT(is_half(in, out));
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) out.row(y)[x] = in.row(2 * y)[2 * x];
  }
}

}  // namespace

void decimate_image(ImageIn in, Image out) {
  decimate(in, out);
}
void decimate_mask(MaskIn in, Mask out) {
  decimate(in, out);
}

}  // namespace vq::cambi::scalar
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::cambi {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::decimate_image;
using scalar::decimate_mask;
#else

namespace hn = hwy::HWY_NAMESPACE;

// A vector of `out` is written after the two vectors of `in` that it may cover were read. The second is left
// out where it holds no sample of the row, which would lie beyond its guard.
template <typename T>
void decimate_row(const T* in, int width, T* out) {
  const hn::ScalableTag<T> t;
  const int step = static_cast<int>(hn::Lanes(t));
  for (int x = 0; x < width; x += step) {
    const auto first = hn::LoadU(t, in + 2 * x);
    const auto second = x + step / 2 < width ? hn::LoadU(t, in + 2 * x + step) : first;
    hn::StoreU(hn::ConcatEven(t, second, first), t, out + x);
  }
}

void decimate_image(ImageIn in, Image out) {
  HWY_DASSERT(is_half(in, out));
  for (int y = 0; y < out.height; ++y) decimate_row(in.row(2 * y), out.width, out.row(y));
}

void decimate_mask(MaskIn in, Mask out) {
  HWY_DASSERT(is_half(in, out));
  for (int y = 0; y < out.height; ++y) decimate_row(in.row(2 * y), out.width, out.row(y));
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::cambi
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_STAGE(vq::cambi, decimate_image)
VQ_STAGE(vq::cambi, decimate_mask)
#endif  // HWY_ONCE
