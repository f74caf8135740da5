// Makes one row of counts of 16, which work groups or a pass before have left: sums of bins, the largest of bounds.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../../shaders/histogram/shared.h"

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { uint rows_in[]; };
layout(std430, binding = 1) writeonly buffer Out { uint rows_out[]; };
layout(push_constant) uniform Push { uint rows, width, bins; };

void main() {
  const uint column = gl_GlobalInvocationID.x, first = gl_WorkGroupID.y * 16;
  if (column >= width) return;
  const bool is_bound = column % (bins + kBoundWords) >= bins;
  uint result = 0;
  for (uint row = first; row < min(first + 16, rows); ++row) {
    const uint word = rows_in[row * width + column];
    result = is_bound ? max(result, word) : result + word;
  }
  rows_out[gl_WorkGroupID.y * width + column] = result;
}
