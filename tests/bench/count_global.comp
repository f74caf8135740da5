// For comparison with shaders/histogram/count_rgb.comp: every sample is counted in memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "../../shaders/histogram/shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 1) const uint kBins = 256;
layout(constant_id = 2) const uint kBinShift = 0;
layout(constant_id = 5) const uint kRowsEach = kRows;
layout(std430, binding = 3) buffer Counts { uint counts[]; };
layout(push_constant) uniform Push { CountRgbPush p; };

void count(uint, uint channel, uint value) {
  atomicAdd(counts[channel * (kBins + kBoundWords) + (value >> kBinShift)], 1);
}

void count_vector(uint number) {}

#include "../../shaders/histogram/rgb.glsl"

void main() {
  count_samples();
}
