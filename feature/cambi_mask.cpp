#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/cambi_mask.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "feature/cambi_stages.h"
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
  for (int y = 0; y < image.height; ++y) derivative_row(image, y, flat.row(y));
}

void mask(MaskIn flat, int threshold, Scratch& scratch, Mask mask) {
  mask_rows([&](int y) { return flat.row(y); }, threshold, scratch, mask);
}

void spatial_mask(ImageIn image, int threshold, Scratch& scratch, Mask mask) {
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

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kReach = kMaskBox / 2;
constexpr int kRing = kMaskBox + 1;  // the box's rows and the one that has just left it

using B = hn::ScalableTag<uint8_t>;
using HalfB = hn::Half<B>;
using U = hn::ScalableTag<uint16_t>;

HWY_INLINE hn::VFromD<HalfB> flat_half(const uint16_t* row, const uint16_t* below) {
  const U u;
  const auto own = hn::LoadU(u, row);
  const auto equal = hn::And(hn::Eq(own, hn::LoadU(u, row + 1)), hn::Eq(own, hn::LoadU(u, below)));
  const auto ones = hn::IfThenElseZero(equal, hn::Set(u, 1));
  return hn::DemoteTo(HalfB(), hn::BitCast(hn::RebindToSigned<U>(), ones));
}

// Flat samples of row y, with zeros to the right of the row.
void derivative_row(ImageIn image, int y, uint8_t* out) {
  const HalfB b;
  const int step = static_cast<int>(hn::Lanes(U()));
  const int width = image.width;
  const uint16_t* row = image.row(y);
  const uint16_t* below = image.row(y + 1 < image.height ? y + 1 : y);
  for (int x = 0; x < width; x += step) hn::Store(flat_half(row + x, below + x), b, out + x);
  out[width - 1] = row[width - 1] == below[width - 1];
  std::fill_n(out + width, kRowGuardBytes, uint8_t{0});
}

// Adds a row that enters the box and takes away one that leaves it.
void move_box(const uint8_t* enters, const uint8_t* leaves, int width, uint8_t* sums) {
  const B b;
  const int step = static_cast<int>(hn::Lanes(b));
  for (int x = 0; x < width; x += step) {
    const auto sum = hn::Add(hn::Load(b, sums + x), hn::Load(b, enters + x));
    hn::Store(hn::Sub(sum, hn::Load(b, leaves + x)), b, sums + x);
  }
}

void mask_row(const uint8_t* sums, int threshold, int width, uint8_t* mask) {
  const B b;
  const int step = static_cast<int>(hn::Lanes(b));
  // Sums reach 49, so neither clamp changes which of them are greater; no sum exceeds the upper bound.
  const int at_least = std::clamp(threshold + 1, 0, kMaskBox * kMaskBox + 1);
  const auto least = hn::Set(b, static_cast<uint8_t>(at_least));
  const auto one = hn::Set(b, 1);
  for (int x = 0; x < width; x += step) {
    auto box = hn::Add(hn::LoadU(b, sums + x - 3), hn::LoadU(b, sums + x - 2));
    box = hn::Add(box, hn::Add(hn::LoadU(b, sums + x - 1), hn::Load(b, sums + x)));
    box = hn::Add(box, hn::Add(hn::LoadU(b, sums + x + 1), hn::LoadU(b, sums + x + 2)));
    box = hn::Add(box, hn::LoadU(b, sums + x + 3));
    hn::StoreU(hn::IfThenElseZero(hn::Eq(hn::Max(box, least), box), one), b, mask + x);
  }
}

void spatial_mask(ImageIn image, int threshold, Scratch& scratch, Mask mask) {
  // The ring starts as zeros: rows above the picture. So do the guards of the sums: columns beside it.
  for (int i = 0; i < kRing; ++i) std::fill_n(scratch.flat_rows.row(i), image.width + 64, uint8_t{0});
  uint8_t* sums = scratch.column_sums.row(0);
  std::fill_n(sums - kRowGuardBytes, static_cast<size_t>(image.width) + 2 * kRowGuardBytes, uint8_t{0});
  for (int y = -kReach; y < image.height; ++y) {
    const int entering = y + kReach;
    uint8_t* enters = scratch.flat_rows.row(entering % kRing);
    const uint8_t* leaves = scratch.flat_rows.row((entering + 1) % kRing);
    if (entering < image.height) {
      derivative_row(image, entering, enters);
    } else {
      std::fill_n(enters, image.width, uint8_t{0});
    }
    move_box(enters, leaves, image.width, sums);
    if (y >= 0) mask_row(sums, threshold, image.width, mask.row(y));
  }
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::cambi
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vq::cambi {
HWY_EXPORT(spatial_mask);

decltype(CambiStages::spatial_mask) simd::spatial_mask_for(int64_t target) {
  return for_target(HWY_DISPATCH_TABLE(spatial_mask), target);
}

}  // namespace vq::cambi
#endif  // HWY_ONCE
