// The one stage of PSNR-HVS: the sum of the visible errors of all blocks of a plane. It never throws and
// never allocates.
#pragma once

#include <cstdint>

#include "core/frame.h"
#include "feature/psnr_hvs/plan.h"

namespace vq::psnr_hvs {

// A plane as decoded, of any stride and alignment and without guards: nothing beyond its rows is read. Each
// sample is shifted left by `shift`, 0..4, to the depth it is compared at, which is at most 12 bits.
struct Samples {
  SampleView view;
  int shift = 0;
};

// From sums of squares about a mean to the variances of the samples of a block and of a quarter, times their
// number.
inline constexpr float kBlockVariance = 1.0F / 63 * 64, kQuarterVariance = 1.0F / 15 * 16;

// Scratch memory for rows of both planes: 8-row bands of words. Throws std::bad_alloc.
class Bands {
 public:
  explicit Bands(int width);
  static int64_t bytes(int width);
  PlaneView<int32_t> of(int picture) { return bands_[picture].view(); }  // 0 or 1

 private:
  Plane<int32_t> bands_[2];
};

// For each block, computes its transform and the error that its detail masks, which grows with the variance
// within its quarters relative to that of the whole block; the larger of both pictures counts. The part of
// the difference in each frequency above the masked error is weighted, squared and added to the sum: one
// float, over block rows from the top, blocks from the left and coefficients row by row. Everything is float,
// each operation rounded in the order of the scalar version, except the transform, which is in integers;
// every implementation gives the same bits, and so does exchanging the planes. Needs: planes of one size with
// at least one block, and bands made for their width.
using ErrorSum = float (*)(const Samples& a, const Samples& b, const Weights& weights, Bands& bands);

namespace scalar {
// The readable reference, in ordinary C++.
float error_sum(const Samples& a, const Samples& b, const Weights& weights, Bands& bands);
}  // namespace scalar

namespace simd {
// For one of allowed_simd_targets(), by its id.
ErrorSum error_sum_for(int64_t target);
}  // namespace simd

// The integer transform of a block, in place: [8 * vertical + horizontal frequency]. Samples are of 12 bits
// at most.
void transform(int32_t* block);

}  // namespace vq::psnr_hvs
