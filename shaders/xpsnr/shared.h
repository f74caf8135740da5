// Shared by the shaders of XPSNR and the program that runs them; planes are those of shaders/common/shared.h.
#ifdef __cplusplus
#pragma once
#include "shaders/common/shared.h"
namespace vq::xpsnr {
#endif

// A work group of kGroup invocations sums up a tile: some whole rows of a block, at most kTileSamples samples
// if a row is not longer than half of that. Its invocations take vectors of kVector samples.
const uint kGroup = 256;
const uint kVector = 4;
const uint kTileSamples = 4096;

// Specialization constants of both shaders: 0 columns of a block; 1 rows of a block; 2 rows of a tile. Those
// of block_activities.comp: 3 bytes per sample; 4 the shift to the common depth; 5 whether values are those
// of cells; 6 whether changes of changes count. Those of block_errors.comp: 3, 4 bytes per sample of each
// plane; 5, 6 the shift of each to the common depth.
struct BlockPush {
  uint width, height;
  uint stride_a, stride_b, stride_c;  // bytes; those of activities: now, before, and before that
  uint first_sum;                     // index of this dispatch's first sum
};

// The result of a work group. Changes are those from as many frames before as their names say; if there is
// none, it is taken for black.
struct TileActivity {
  uint spatial;
  uint from_none, from_one, from_two;
};

// The result of a work group: the sums of the lower and of the upper 16 bits of its squared errors.
struct TileError {
  uint low, high;
};

#ifdef __cplusplus
}  // namespace vq::xpsnr
#endif
