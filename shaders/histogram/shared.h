// Shared by the shaders of histograms and the program that runs them; planes are those of
// shaders/common/shared.h.
//
// Counts: for each channel its bins, then kBoundWords words: the largest value, and by how much the smallest
// is below kTopWord, so that everything starts as zeros. Both stay zero if bins tell them.
#ifdef __cplusplus
#pragma once
#include "shaders/common/shared.h"
namespace vq::histogram::gpu {
#endif

const uint kBoundWords = 2;
const uint kTopWord = 0xFFFF;

// One invocation counts kVector neighbouring samples in each of its rows, kGroupY rows apart; a work group
// this many such vectors by this many invocations.
const uint kVector = 8;
const uint kGroupX = 32;
const uint kGroupY = 8;
// Rows per invocation, unless specialized otherwise. Counts of a work group must fit 16 bits.
const uint kRows = 8;

// Words for a work group's own bins. If one word per bin does not fit, two bins of 16 bits share one.
const uint kMostWords = 3584;
// Copies of the bounds of its channels, so that both together fit 16 KiB.
const uint kBoundCopies = 31;

// R, G, B and luminance.
const uint kRgbChannels = 4;
const uint kFractionBits = 13;  // of the conversion's coefficients

// Specialization constants: 0 bytes per sample; 1 bins of a channel, an even number; 2 the right shift from a
// value to its bin; 3 copies of the bins, 0 if not even one fits: then counting is done in memory; 4 words of
// all copies, at least 1; 5 rows per invocation; 8 whether two bins share a word. For count_rgb also: 6, 7
// base-2 logarithms of the number of luma columns and rows per chroma sample.
struct CountPlanePush {
  uint width, height;
  uint stride;       // bytes
  uint first_count;  // index of this dispatch's first count
};

struct CountRgbPush {
  uint width, height;               // of luma
  uint luma_stride, chroma_stride;  // bytes
  uint first_count;                 // as above
  // RgbConstants of feature/histogram/histogram.h.
  int luma_offset, chroma_offset;
  int luma_scale, cr_to_r, cb_to_g, cr_to_g, cb_to_b;
  int peak;
};

#ifdef __cplusplus
}  // namespace vq::histogram::gpu
#endif
