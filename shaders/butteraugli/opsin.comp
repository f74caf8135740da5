// filter_columns and opsin of feature/butteraugli/stages.h: X, Y and B of light, with the light around it
// filtered along columns.
#include "shared.h"

layout(push_constant) uniform Push { BandsPush p; };

#include "columns.glsl"

layout(std430, binding = 2) readonly buffer Light { float light[]; };
layout(std430, binding = 3) writeonly buffer Picture { float picture[]; };

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
  const uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  if (x >= p.width || y >= p.height) return;
  const uint at = y * p.stride + x;
  const vec3 around = absorbed(filtered_column(0, x, y), filtered_column(1, x, y), filtered_column(2, x, y));
  const vec3 here = absorbed(light[at], light[at + p.plane], light[at + 2 * p.plane]);
  const float first = seen(here.x, around.x, kDark01), second = seen(here.y, around.y, kDark01);
  precise const float difference = first - second, sum = first + second;
  picture[at] = difference;
  picture[at + p.plane] = sum;
  picture[at + 2 * p.plane] = seen(here.z, around.z, kDark2);
}
