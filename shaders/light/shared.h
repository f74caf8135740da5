// Shared by the shaders that make light and measure it and the program that runs them. Planes of samples are
// those of shaders/common/shared.h, but every row starts at a multiple of 4 bytes.
#ifdef __cplusplus
#pragma once
#include "shaders/common/shared.h"
namespace vq::light::gpu {
#endif

// One invocation computes one sample of all three planes.
const uint kGroupX = 32;
const uint kGroupY = 8;

// Values of specialization constant 1.
const uint kBt1886Curve = 0;
const uint kSrgbCurve = 1;
const uint kLinearCurve = 2;
const uint kPqCurve = 3;
const uint kHlgCurve = 4;

// The table, floats one behind the other: for columns and then for rows, for each of kPhases phases the first
// chroma sample and four taps; then the curve, if there is one.
const uint kPhases = 4;
const uint kPhaseFloats = 5;
const uint kCurveStart = 2 * kPhases * kPhaseFloats;

// Specialization constants: 0 bytes of a sample; 1 the curve; 2 and 3 shifts of chroma columns and rows; 4
// whether there is chroma; 5 whether planes are G, B and R; 6 whether the primaries are BT.2020's; 7
// whether chroma is interpolated bilinearly, luma limited to its nominal range, and chroma to +-0.5.
struct ToLightPush {
  uint width, height;
  uint out_stride;                         // floats
  uint luma_stride, cb_stride, cr_stride;  // bytes
  uint chroma_width, chroma_height;
  float luma_offset, luma_factor, chroma_offset, chroma_factor;
  float red_of_cr, blue_of_cb, kr, kb, one_over_kg;
};

// Amounts (feature/light/amounts.h) of light, three planes of floats, R, G and B, each in a buffer of its
// own.
struct AmountsPush {
  uint width, height;
  uint stride;   // floats
  float factor;  // amounts of the unit
};

// The counts of a picture, words one behind the other: kAmountBins bins, zeros to begin with, and then the
// words of each work group: the sum of the lower and that of the upper 16 bits of its amounts, the largest of
// them, and how many are above a unit; a shader may have more sums, in halves as well.
const uint kBinsOfOctave = 256;
const uint kAmountBins = 4352;
const uint kAmountWords = 4;

// An invocation has one column of a work group's rows.
const uint kAmountsX = 32;
const uint kAmountsY = 8;
const uint kAmountRows = 8;

#ifdef __cplusplus
}  // namespace vq::light::gpu
#endif
