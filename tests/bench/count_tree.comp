// For comparison with shaders/histogram/count_rgb.comp: counts in the same way, but leaves what each work group has counted
// side by side in memory, for reduce_bins.comp.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "../../shaders/histogram/shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(std430, binding = 3) buffer Counts { uint counts[]; };
layout(push_constant) uniform Push { CountRgbPush p; };

const uint kChannels = kRgbChannels;
const bool kIsInRange = true;
#include "../../shaders/histogram/bins.glsl"
#include "../../shaders/histogram/rgb.glsl"

void main() {
  start_counting();
  count_samples();
  finish_counting();
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint first = group * kChannels * (kBins + kBoundWords);
  for (uint bin = gl_LocalInvocationIndex; bin < kChannels * kBins; bin += kGroupSize) {
    counts[first + bin + bin / kBins * kBoundWords] = group_count(bin);
  }
  if (gl_LocalInvocationIndex < kBounds) {  // zeros where bins tell them
    const uint channel = gl_LocalInvocationIndex / kBoundWords, bound = gl_LocalInvocationIndex % kBoundWords;
    counts[first + channel * (kBins + kBoundWords) + kBins + bound] = group_bound(gl_LocalInvocationIndex);
  }
}
