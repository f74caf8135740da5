// Shared by the shaders of CAMBI and the program that runs them: tile sizes, the numbers of specialization
// constants, and push constants.
//
// Planes are those of shaders/common/shared.h, and every row has at least kRowSlack bytes behind its last
// sample, which shaders may write as well.
#ifdef __cplusplus
#pragma once
#include "shaders/common/shared.h"
namespace vq::cambi::gpu {
#endif

const uint kRowSlack = 64;

// Most shaders: one invocation computes kVector neighbouring samples, a work group this many such vectors by
// this many rows of invocations.
const uint kVector = 8;
const uint kGroupX = 32;
const uint kGroupY = 8;

// Preprocessing. Specialization constants: 0 bytes per input sample, 1 its depth, 2 whether it is resized, 3
// whether it is anti-dithered.
struct PreprocessPush {
  uint width, height;        // of the output
  uint in_stride;            // bytes
  uint out_stride;           // bytes
  uint in_width, in_height;  // samples; all are checked against the depth's maximum
};

// The spatial mask: tile of one work group.
const uint kMaskTileX = 128;
const uint kMaskTileY = 32;
const uint kMaskReach = 3;  // half the box
struct MaskPush {
  uint width, height;
  uint in_stride, out_stride;  // bytes
  int threshold;               // -1..127
};

// Decimation of a mask, several times at once: out[y][x] = in[y << shift][x << shift].
struct DecimatePush {
  uint width, height;          // of the output
  uint in_stride, out_stride;  // bytes
  uint shift;
};

// The mode filter. Specialization constant 0: 1, or 2 to decimate the input first.
const uint kFilterRows = 2;  // computed by one invocation
struct ModeFilterPush {
  uint width, height;          // of the output
  uint in_stride, out_stride;  // bytes
};

// c-values and their pooling: all scales at once, the finest first. Every scale has a grid of words, each for
// 32 neighbouring samples of a row, and of blocks, each as wide as a word and kBlockRows rows high.
const uint kScaleCount = 5;
const uint kWordSamples = 32;
const uint kBlockRows = 32;
const uint kRowWords = 4;    // the number of words in a row is a multiple of this
const uint kNoLevel = 2047;  // a sample that is not masked, or is outside the picture
const uint kLevelBits = 11;  // of a level, kNoLevel included
// number of four-word vectors that hold the kLevelBits bit planes of a word's samples
const uint kPlaneVectors = 3;
const uint kSetWords = 33;  // size of a set of levels 0..1024, one bit each
struct ScaleGeometry {
  uint width, height;
  uint image_stride;             // bytes
  uint mask_stride, mask_shift;  // of the full mask: this scale's is mask[y << shift][x << shift]
  uint words;                    // in a row
  uint first_word, first_block;  // of this scale, in buffers that hold all scales
  uint first_slice_group, slice_groups_x, slice_groups;
  uint first_tile, tiles_x, tiles;
  uint first_pool_group, pool_groups;
  uint first_value;  // see cambi_values.glsl
  uint topk_count;
};
struct ContrastRule {
  uint weight;
  int first_level, last_level;
};

// Slices: a work group computes kSliceWords by kBlockRows words. Specialization constant 0: the number of
// parts, 1, 2 or 4, in which its invocations process their shared memory.
const uint kSliceWords = 8;

// c-values. Specialization constants: 0 invocations, 1 words per row of a tile, 2 rows of samples per
// invocation, 3 half the window, 4 contrasts, 5 whether the bit planes stay in registers.

// Pooling: values are selected by three digits of their bits above those of kLeastValue, which is 0.5; the
// first digit is at most that of 2^18.
const uint kPoolGroup = 256;
const uint kPoolRows = 4;  // of one work group
const uint kPoolDigits = 3;
const uint kDigitBits = 9;  // of all digits but the first
const uint kBins = 1024;    // enough for any digit
const uint kLeastValue = 0x3F000000;
// For each scale: the number of values that are not 0 and their sum in units of 2^-24 as three words, then
// the same for the largest topk_count, set only if there are more values than these.
const uint kSumWords = 8;
const uint kSumOfAll = 1, kSumOfLargest = 4;
struct PoolPush {
  uint first_group;
  uint digit;
};

// For shaders whose work groups are numbered over all scales: the number of the first one, as devices limit
// the size of a dispatch.
struct GroupPush {
  uint first_group;
};

#ifdef __cplusplus
}  // namespace vq::cambi::gpu
#endif
