// For comparison with shaders/histogram/count_rgb.comp: every sample is counted by itself, in copies of 32-bit bins that the
// work group shares.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "../../shaders/histogram/shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 1) const uint kBins = 256;
layout(constant_id = 2) const uint kBinShift = 0;
layout(constant_id = 5) const uint kRowsEach = kRows;
layout(constant_id = 3) const uint kCopies = 1;
layout(constant_id = 4) const uint kWords = 1024;
layout(std430, binding = 3) buffer Counts { uint counts[]; };
layout(push_constant) uniform Push { CountRgbPush p; };

shared uint group_bins[kWords];

void count(uint, uint channel, uint value) {
  const uint bin = channel * kBins + (value >> kBinShift);
  atomicAdd(group_bins[bin * kCopies + gl_LocalInvocationIndex % kCopies], 1);
}

void count_vector(uint number) {}

#include "../../shaders/histogram/rgb.glsl"

void main() {
  for (uint i = gl_LocalInvocationIndex; i < kWords; i += kGroupX * kGroupY) group_bins[i] = 0;
  barrier();
  count_samples();
  barrier();
  for (uint bin = gl_LocalInvocationIndex; bin < kRgbChannels * kBins; bin += kGroupX * kGroupY) {
    uint sum = 0;
    for (uint copy = 0; copy < kCopies; ++copy) sum += group_bins[bin * kCopies + copy];
    if (sum != 0) atomicAdd(counts[bin + bin / kBins * kBoundWords], sum);
  }
}
