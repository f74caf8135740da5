// Shared by the shader of SpEED-QA and the program that runs it. Planes are those of shaders/common/shared.h,
// but every row starts at a multiple of 4 bytes.
#ifdef __cplusplus
#pragma once
#include "shaders/common/shared.h"
namespace vq::speed::gpu {
#endif

// Invocations of a work group: each has one column of the window of one kept sample, so that a group computes
// kGroupSize / taps samples of a row.
const uint kGroupSize = 128;
// One sample in this many is kept, in each direction.
const uint kStep = 16;

// Specialization constants: 0 bytes of a sample; 1 those of a sample of the plane that is subtracted, 0 if
// none is; 2 taps of the filter; 3 taps of an axis if planes are scaled, 0 where they are not; 4 whether a
// scaled sample is divided by its weights.
//
// The tables, words one behind the other: the filter's taps; then, if planes are scaled, of rows and then of
// columns, the indices and after them the weights, tap t of row or column i at [t * stride + i]. Taps and
// weights are floats.
struct ReducePush {
  uint scaled_width, scaled_height;  // of the plane that is filtered
  uint kept_width;
  uint stride, subtracted_stride;  // of planes, in bytes
  uint out_stride;                 // in floats
  uint row_stride, column_stride;  // of tables
  float scale, subtracted_scale;   // factors that convert samples to 8 bits
};

#ifdef __cplusplus
}  // namespace vq::speed::gpu
#endif
