// filter_row, filter_columns and opsin of feature/butteraugli/stages.h: X, Y and B of light, with the light
// around it.
#include "shared.h"

layout(push_constant) uniform Push { BandsPush p; };

const int kReach = kAroundReach;
const bool kIsMirrored = true;
#include "tile.glsl"

layout(std430, binding = 2) writeonly buffer Picture { float picture[]; };

vec3 absorbed(float red, float green, float blue) {
  precise const float r = red * p.intensity, g = green * p.intensity, b = blue * p.intensity;
  precise const vec3 result = vec3(kRed0 * r + (kGreen0 * g + (kBlue0 * b + kDark01)),
                                   kRed1 * r + (kGreen1 * g + (kBlue1 * b + kDark01)),
                                   kRed2 * r + (kGreen2 * g + (kBlue2 * b + kDark2)));
  return result;
}

float seen(float here, float around, float dark) {
  const float p = max(around, dark);
  precise const float shifted = p + kGammaLight;
  precise const float response = kGammaFactor * logarithm(shifted) + kGammaOffset;
  const float sensitivity = quotient(response, p);
  precise const float result = here * max(sensitivity, kLeastSensitivity);
  return max(result, dark);
}

void main() {
  const vec4 red = filtered(0), green = filtered(1), blue = filtered(2);
  uvec2 place = first_place();
  [[unroll]] for (int i = 0; i < kDown && exists(place); ++i, ++place.y) {
    const uint at = place.y * p.stride + place.x;
    const vec3 around = absorbed(red[i], green[i], blue[i]);
    const vec3 here = absorbed(samples[at], samples[at + p.plane], samples[at + 2 * p.plane]);
    const float first = seen(here.x, around.x, kDark01), second = seen(here.y, around.y, kDark01);
    precise const float difference = first - second, sum = first + second;
    picture[at] = difference;
    picture[at + p.plane] = sum;
    picture[at + 2 * p.plane] = seen(here.z, around.z, kDark2);
  }
}
