// Shared by the shaders of ColorVideoVDP and the program that runs them, in the common part of GLSL and C++.
//
// A level of a picture is a row after row of its samples, each with its four channels.
#ifndef CVVDP_SHARED_H
#define CVVDP_SHARED_H

#ifdef __cplusplus
#include <cstdint>
namespace vq::cvvdp::gpu {
using uint = uint32_t;
#endif

// One invocation makes one sample, but in masking.
const uint kSamplesX = 32;
const uint kSamplesY = 8;

// Values of filter's specialization constant 1, the display's curve; the others are those of the light stage.
const uint kSrgbDisplay = 0;
const uint kPqDisplay = 1;
const uint kHlgDisplay = 2;

// The table of filter: phases of the light stage; then the display's matrix, row by row, and its curve, if
// that is from a table.
const uint kMatrixStart = 40;
const uint kDisplayStart = kMatrixStart + 9;

// Two frames that have one tap; or the middle one, twice. The members from chroma_width on to one_over_kg are
// those of ToLightPush.
struct FilterPush {
  uint width, height;
  uint old_luma_stride, old_cb_stride, old_cr_stride, new_luma_stride, new_cb_stride, new_cr_stride;  // bytes
  uint chroma_width, chroma_height;
  float luma_offset, luma_factor, chroma_offset, chroma_factor;
  float red_of_cr, blue_of_cb, kr, kb, one_over_kg;
  uint is_first, is_middle;
  float scale, base, peak, gamma_less_1;
  float tap_0, tap_1, tap_2, tap_3;  // of each channel
};

struct ReducePush {
  uint width, height;  // of what is reduced
};

// The table: Sensitivity of each channel, one after the other; then Masking::gain.
const uint kSensitivityFloats = 33;
const uint kGainStart = 4 * kSensitivityFloats;
struct ContrastPush {
  uint width, height;
  float layer_gain, first_luminance, luminance_steps;
};

// A work group masks a tile. The table: taps of the blur from the outermost to the middle; then exponents and
// powers of e of each channel, the difference's, and the weights of each masker.
const uint kTileSide = 16;
const uint kExponentStart = 7;
const uint kAtZeroStart = 12;
const uint kWeightStart = 17;
// Specialization constants: 0 whether the level is blurred; 1 whether differences of all samples are wanted.
struct MaskPush {
  uint width, height;
  uint tile_columns, tiles;  // sum of channel k of tile i goes to [k * tiles + i]
  uint plane;                // floats of a plane of differences
  float mutual_gain, most, sum_offset;
};

#ifdef __cplusplus
}  // namespace vq::cvvdp::gpu
#endif
#endif
