#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/cambi/mask.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "feature/cambi/mask-inl.h"
#include "feature/cambi/stages.h"
#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq::cambi::scalar {
namespace {

constexpr int kReach = kMaskBox / 2;

void derivative_row(ImageIn image, int y, uint8_t* out) {
  const uint16_t* row = image.row(y);
  const uint16_t* below = image.row(y + 1 < image.height ? y + 1 : y);
  for (int x = 0; x < image.width; ++x) {
    const bool like_right = x + 1 == image.width || row[x] == row[x + 1];
    out[x] = like_right && row[x] == below[x];
  }
}

// Masks by rows of flat samples that come from `flat_row(y)`, each asked for once to enter the box and once
// to leave it.
template <typename FlatRow>
void mask_rows(FlatRow flat_row, int threshold, Scratch& scratch, Mask mask) {
  uint8_t* sums = scratch.column_sums.row(0);  // of the box's rows, for every column
  std::fill_n(sums, mask.width, uint8_t{0});
  const auto add_row = [&](int y, int sign) {
    if (y < 0 || y >= mask.height) return;
    const uint8_t* flat = flat_row(y);
    for (int x = 0; x < mask.width; ++x) sums[x] = static_cast<uint8_t>(sums[x] + sign * flat[x]);
  };
  for (int y = 0; y < kReach; ++y) add_row(y, 1);
  for (int y = 0; y < mask.height; ++y) {
    add_row(y + kReach, 1);
    add_row(y - kReach - 1, -1);
    for (int x = 0; x < mask.width; ++x) {
      const int first = std::max(x - kReach, 0), last = std::min(x + kReach, mask.width - 1);
      int box = 0;
      for (int k = first; k <= last; ++k) box += sums[k];
      mask.row(y)[x] = box > threshold;
    }
  }
}

}  // namespace

void derivative(ImageIn image, Mask flat) {
  HWY_DASSERT(same_size(image, flat));
  for (int y = 0; y < image.height; ++y) derivative_row(image, y, flat.row(y));
}

void mask(MaskIn flat, int threshold, Scratch& scratch, Mask mask) {
  HWY_DASSERT(same_size(flat, mask) && flat.data != mask.data);
  mask_rows([&](int y) { return flat.row(y); }, threshold, scratch, mask);
}

void spatial_mask(ImageIn image, int threshold, Scratch& scratch, Mask mask) {
  HWY_DASSERT(same_size(image, mask) && image.width <= scratch.flat_rows.width());
  uint8_t* flat = scratch.flat_rows.row(0);
  const auto flat_row = [&](int y) {
    derivative_row(image, y, flat);
    return flat;
  };
  mask_rows(flat_row, threshold, scratch, mask);
}

}  // namespace vq::cambi::scalar
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::cambi {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::spatial_mask;
#else

void spatial_mask(ImageIn image, int threshold, Scratch& scratch, Mask mask) {
  RowMasker(image, threshold, scratch, mask).advance(image.height);
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::cambi
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_STAGE(vq::cambi, spatial_mask)
#endif  // HWY_ONCE
