// The spatial mask, row by row. Included once for each SIMD target.
#if defined(VQ_CAMBI_MASK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_CAMBI_MASK_INL_H
#undef VQ_CAMBI_MASK_INL_H
#else
#define VQ_CAMBI_MASK_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "feature/cambi/stages.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::cambi {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using MaskB = hn::ScalableTag<uint8_t>;
using MaskHalfB = hn::Half<MaskB>;
using MaskU = hn::ScalableTag<uint16_t>;

HWY_INLINE hn::VFromD<MaskHalfB> flat_half(const uint16_t* row, const uint16_t* below) {
  const MaskU u;
  const auto own = hn::LoadU(u, row);
  const auto equal = hn::And(hn::Eq(own, hn::LoadU(u, row + 1)), hn::Eq(own, hn::LoadU(u, below)));
  const auto ones = hn::IfThenElseZero(equal, hn::Set(u, 1));
  return hn::DemoteTo(MaskHalfB(), hn::BitCast(hn::RebindToSigned<MaskU>(), ones));
}

// Flat samples of row y, with zeros to the right of the row.
inline void derivative_row(ImageIn image, int y, uint8_t* out) {
  const MaskHalfB b;
  const int step = static_cast<int>(hn::Lanes(MaskU()));
  const int width = image.width;
  const uint16_t* row = image.row(y);
  const uint16_t* below = image.row(y + 1 < image.height ? y + 1 : y);
  for (int x = 0; x < width; x += step) hn::Store(flat_half(row + x, below + x), b, out + x);
  out[width - 1] = row[width - 1] == below[width - 1];
  std::fill_n(out + width, kRowGuardBytes, uint8_t{0});
}

// Adds a row that enters the box and takes away one that leaves it.
inline void move_box(const uint8_t* enters, const uint8_t* leaves, int width, uint8_t* sums) {
  const MaskB b;
  const int step = static_cast<int>(hn::Lanes(b));
  for (int x = 0; x < width; x += step) {
    const auto sum = hn::Add(hn::Load(b, sums + x), hn::Load(b, enters + x));
    hn::Store(hn::Sub(sum, hn::Load(b, leaves + x)), b, sums + x);
  }
}

inline void mask_row(const uint8_t* sums, int threshold, int width, uint8_t* mask) {
  const MaskB b;
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

// Masks an image row by row, as its rows become available.
class RowMasker {
 public:
  RowMasker(ImageIn image, int threshold, Scratch& scratch, Mask mask)
      : image_(image),
        threshold_(threshold),
        flat_(scratch.flat_rows.view()),
        sums_(scratch.column_sums.row(0)),
        mask_(mask) {
    HWY_DASSERT(same_size(image, mask) && image.width <= flat_.width);
    // The ring starts as zeros: rows above the picture. So do the guards of the sums: columns beside it.
    for (int i = 0; i < kRing; ++i) std::fill_n(flat_.row(i), image.width + 64, uint8_t{0});
    std::fill_n(sums_ - kRowGuardBytes, static_cast<size_t>(image.width) + 2 * kRowGuardBytes, uint8_t{0});
  }

  // Rows of the image whose flat samples are known, so that the image may change there.
  int released() const { return std::min(entering_, image_.height); }

  // Makes all rows that depend on the image's first `finished` rows only.
  void advance(int finished) {
    while (entering_ < image_.height + kReach && (entering_ + 1 < finished || finished == image_.height)) {
      move();
      const int y = entering_ - 1 - kReach;
      if (y >= 0) mask_row(sums_, threshold_, image_.width, mask_.row(y));
    }
  }

 private:
  static constexpr int kReach = kMaskBox / 2;
  static constexpr int kRing = kMaskBox + 1;  // the box's rows and the one that has just left it

  // One more row enters the box.
  void move() {
    uint8_t* const enters = flat_.row(entering_ % kRing);
    const uint8_t* const leaves = flat_.row((entering_ + 1) % kRing);
    if (entering_ < image_.height) {
      derivative_row(image_, entering_, enters);
    } else {
      std::fill_n(enters, image_.width, uint8_t{0});
    }
    move_box(enters, leaves, image_.width, sums_);
    ++entering_;
  }

  const ImageIn image_;
  const int threshold_;
  const Mask flat_;
  uint8_t* const sums_;
  const Mask mask_;
  int entering_ = 0;  // the row that enters the box next
};

}  // namespace HWY_NAMESPACE
}  // namespace vq::cambi
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR
#endif
