// count_rgb of feature/histogram/histogram.h: counts R, G, B and luminance of three planes. Each work group
// counts a tile.
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(std430, binding = 3) buffer Counts { uint counts[]; };
layout(push_constant) uniform Push { CountRgbPush p; };

const uint kChannels = kRgbChannels;
const bool kIsInRange = true;
#include "bins.glsl"
#include "rgb.glsl"

void main() {
  start_counting();
  count_samples();
  finish_counting();
  add_to_counts();
}
