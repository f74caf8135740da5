#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/vif/decimate.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/simd_targets.h"
#include "feature/vif/filtered-inl.h"
#include "feature/vif/stages.h"

HWY_BEFORE_NAMESPACE();
namespace vq::vif {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::decimate;
#else

template <int kScale>
HWY_INLINE void decimate_row(const uint16_t* row, int width, uint16_t* out) {
  const hn::Half<U16> half;
  for (int x = 0; x < width; x += static_cast<int>(hn::Lanes(U16()))) {
    hn::VFromD<U32> even, odd;
    sum_neighbours<kFilters[kScale]>(row + x, kBias + 0x8000, even, odd);
    hn::StoreU(hn::DemoteTo(half, hn::BitCast(S32(), hn::ShiftRight<16>(even))), half, out + x / 2);
  }
}

// Rows of which nobody asks are left out, and sums for odd columns with them: nothing uses these.
template <int kScale, typename T>
void decimate_plane(PlaneView<const T> in, const Scale& scale, PlaneView<uint16_t> out, Rows& rows) {
  constexpr int kRadius = kFilters[kScale].radius;
  const int shift = sample_shift(scale);
  for (int y = 0; y < out.height; ++y) {
    uint16_t* const means = rows.words.row(kWordRows * (y % kBandRows));
    if (y % kBandRows == 0) {
      const Columns<T> columns = columns_at(in, 2 * y, kRadius);
      mean_band<kScale, 2>(columns, {0, in.width}, in.width, shift, 0, rows.words);
    }
    reflect_ends(means, in.width, kRadius);
    decimate_row<kScale>(means, in.width, out.row(y));
  }
}

void decimate(const SampleView& in, const Scale& scale, PlaneView<uint16_t> out, Rows& rows) {
  if (in.is_u8()) return decimate_plane<1>(in.u8, scale, out, rows);
  switch (scale.index) {
    case 0:
      return decimate_plane<1>(in.u16, scale, out, rows);
    case 1:
      return decimate_plane<2>(in.u16, scale, out, rows);
    default:
      return decimate_plane<3>(in.u16, scale, out, rows);
  }
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::vif
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vq::vif {
HWY_EXPORT(decimate);

Decimate simd::decimate_for(int64_t target) {
  return for_target(HWY_DISPATCH_TABLE(decimate), target);
}

}  // namespace vq::vif
#endif  // HWY_ONCE
