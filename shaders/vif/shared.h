// Shared by the shaders of VIF and the program that runs them; planes are those of shaders/common/shared.h.
// The pictures of a scale lie in one buffer: a word for each sample, the reference's in its lower half, the
// distorted one's in its upper half; rows are kPitchUnit words or a multiple of that.
#ifdef __cplusplus
#pragma once
#include "shaders/common/shared.h"
namespace vq::vif::gpu {
#endif

const uint kPitchUnit = 32;

// pair: one invocation combines kVector neighbouring samples of both planes.
const uint kVector = 8;
const uint kPairGroupX = 32;
const uint kPairGroupY = 8;

// Specialization constants: 0, 1 bytes per sample of each plane, the reference's first; 2, 3 the shift of
// each to the common depth; 4, 5 the bits of a word that must be 0 in all samples of each.
struct PairPush {
  uint width, height;
  uint reference_stride, distorted_stride;  // bytes
  uint pitch;                               // words
};

// decimate and statistics: one invocation filters a column of a tile with this many columns, including those
// around the results, and this many rows of results.
const uint kColumns = 128;
const uint kTileRows = 8;
const uint kShortSide = 8;

// Specialization constants: 0 the scale to decimate, 0..2; 1 whether one of its sides has kShortSide samples
// or fewer.
struct DecimatePush {
  uint width, height;  // of the scale to decimate
  uint in_pitch, out_pitch;
  uint out_width, out_height;
  uint shift;  // of the sums of the vertical pass
};

// Samples of a tile of the statistics: kRuns runs of kRun in each row.
const uint kRun = 7;
const uint kRuns = 16;
const uint kTileWidth = kRun * kRuns;

// A number with 32 bits before the point and 64 after it.
struct FixedPoint {
  uint whole, upper, lower;
};

// Specialization constants: 0 the scale; 1 as above; 2 whether it is scale 0 of 8 bits.
struct StatisticsPush {
  uint width, height;
  uint pitch;
  uint sample_shift, product_shift;  // of the sums of the vertical pass
  FixedPoint limit, limit_squared;   // of the gain; the square is rounded to a double
};

// The result of a work group: ScaleSums of feature/vif/vif.h, with flat_variance in two parts, the sums of
// the lower and of the upper 16 bits.
const uint kSums = 5;
const uint kNumLog = 0, kDenLog = 1, kFlat = 2, kFlatVarianceLow = 3, kFlatVarianceHigh = 4;

#ifdef __cplusplus
}  // namespace vq::vif::gpu
#endif
