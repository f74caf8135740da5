// Shared by the shaders that fit and lay out pictures and the program that runs them. Planes are those of
// shaders/common/shared.h, but every row starts at a multiple of 4 bytes. Sums: rows of ints.
#ifdef __cplusplus
#pragma once
#include "shaders/common/shared.h"
namespace vq::fitting::gpu {
#endif

// One invocation makes one sum, or the samples of one word.
const uint kGroupX = 32;
const uint kGroupY = 8;

// Sums along the rows of a plane. The table has the first sample of each sum, then `count` weights for each.
// Specialization constant 0: bytes of a sample.
struct AcrossPush {
  uint width, height;  // in sums
  uint count;
  uint from_stride;  // bytes
  uint to_stride;    // ints
  uint shift;
  int most;
};

// Sums of these along columns, with a table as above. Specialization constant 0: bytes of a new sample.
struct DownPush {
  uint width, height;  // in new samples
  uint count;
  uint from_stride;  // ints
  uint to_stride;    // bytes
  int start;
  uint shift;
  int least, most, offset;
};

// Chroma that becomes coarser, see core/fitting.h. Specialization constant 0: bytes of a sample.
struct CoarserPush {
  uint from_width, from_height, width, height;
  uint from_stride, to_stride;  // bytes
  uint halvings_x, halvings_y, first_row;
  uint across[3], down[3];  // weights
  uint shift;               // base-2 logarithm of their sum
};

// Bits of the fractions of shares.
const uint kShareBits = 24;

// A plane in another matrix, see feature/fitting/fitting.h. Specialization constants: 0 bytes of a sample, 1
// whether it is luma.
struct MatrixPush {
  uint width, height;
  uint chroma_width, chroma_height;
  uint luma_stride, chroma_stride, to_stride;  // bytes
  uint shift_x, shift_y;                       // base-2 logarithms of the luma samples of one of chroma
  int offset_x, offset_y;                      // twice the place of the first chroma sample
  int of_cb, of_cr;                            // shares
  uint middle;                                 // of the depth
};

// A plane of R, G and B, of which rows are sums by weights. Specialization constant 0: bytes of a sample.
struct RgbPush {
  uint from_width, from_height, width, height;
  uint from_stride, to_stride;  // bytes
  uint halvings_x, halvings_y, first_row;
  uint across[3], down[3];       // weights
  int red, green, blue;          // shares
  uint offset_low, offset_high;  // 64 bits
  uint shift;                    // of the weights and fractions together
};

// Samples by a table of their new values. Specialization constants: 0 bytes of a sample, 1 of a new one.
struct LevelsPush {
  uint width, height;
  uint from_stride, to_stride;  // bytes
};

// A plane laid out as shaders expect, of samples that lie in another way: anywhere in a buffer of whole
// words, except samples of two bytes at odd bytes. Distances wrap: rows may lie from the last to the first,
// and samples from right to left. Rows of what is made start at multiples of 16 bytes and have bytes up to
// the next behind their last sample. Specialization constant 0: bytes of a sample, 1 or 2.
struct GatherPush {
  uint width, height;  // of the plane, in samples
  uint offset;         // of the first sample in the buffer, in bytes
  uint from_stride;    // bytes
  uint step;           // bytes between samples
  uint shift;          // unused bits below each sample
  uint to_stride;      // in vectors of 16 bytes
};
// One invocation writes this many words of a row, a work group kGroupX such by this many rows.
const uint kGatherWords = 4;
const uint kGatherGroupY = 4;

#ifdef __cplusplus
}  // namespace vq::fitting::gpu
#endif
