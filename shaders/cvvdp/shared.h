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

// Values of light's specialization constant 1, the display's curve; the others are those of the light stage.
const uint kSrgbDisplay = 0;
const uint kPqDisplay = 1;
const uint kHlgDisplay = 2;

// The table of light: phases of the light stage; then the display's matrix, row by row, and its curve, if
// that is from a table.
const uint kMatrixStart = 40;
const uint kDisplayStart = kMatrixStart + 9;

// Light of a frame is three planes of floats, its channels, one behind the other. The members from
// chroma_width on to one_over_kg are those of ToLightPush.
struct LightPush {
  uint width, height;
  uint luma_stride, cb_stride, cr_stride;  // bytes
  uint chroma_width, chroma_height;
  float luma_offset, luma_factor, chroma_offset, chroma_factor;
  float red_of_cr, blue_of_cb, kr, kb, one_over_kg;
  float scale, base, peak, gamma_less_1;
};

// Adds up to kFilterPairs pairs of frames that have one tap each, and then the middle frame if there is one.
const uint kFilterPairs = 3;
struct FilterPush {
  uint width, height;
  uint pairs, has_middle;
  // A pair's, and at last the middle frame's. Vectors, as not every translator can place other arrays.
#ifdef __cplusplus
  float taps[4 * (kFilterPairs + 1)];
#else
  vec4 taps[kFilterPairs + 1];
#endif
  uint is_first;
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
