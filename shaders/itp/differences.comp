// differences of feature/itp/itp.h, and what is counted of them: see feature/light/amounts.h. All floats are
// `precise`: nothing is contracted, and Vulkan rounds sums and products correctly.
#include "../light/shared.h"

layout(local_size_x = kAmountsX, local_size_y = kAmountsY) in;

layout(std430, binding = 0) readonly buffer FirstRed { float first_red[]; };
layout(std430, binding = 1) readonly buffer FirstGreen { float first_green[]; };
layout(std430, binding = 2) readonly buffer FirstBlue { float first_blue[]; };
layout(std430, binding = 3) readonly buffer SecondRed { float second_red[]; };
layout(std430, binding = 4) readonly buffer SecondGreen { float second_green[]; };
layout(std430, binding = 5) readonly buffer SecondBlue { float second_blue[]; };
// The matrices of the first video and of the second, kMatrixRows rows of three each, and then PQ.
layout(std430, binding = 6) readonly buffer Table { float table[]; };
layout(std430, binding = 7) buffer Counts { uint counts[]; };

layout(push_constant) uniform Push { AmountsPush p; };

// Behind those of amounts: sums of squared errors of luminance, and then of R, G and B.
const uint kLuminanceWord = kAmountWords, kRgbWord = kLuminanceWord + 2, kGroupWords = kRgbWord + 2;
#include "../light/amounts.glsl"

// As in feature/itp/itp.h.
const uint kMatrixRows = 7, kPqStart = 2 * 3 * kMatrixRows;
const float kLeastLight = 1.0 / 1073741824.0, kMostLight = 100, kPqOfDarkness = 7.309559e-7;
const uint kLeastLightBits = 0x30800000, kPqShift = 15, kLowBits = (1 << kPqShift) - 1;
const float kLeastSquare = kLeastLight * kLeastLight;

uint low_luminance = 0, high_luminance = 0, low_rgb = 0, high_rgb = 0;

// Row `row` of the video's matrices, whose first is at `start`.
float pq_of(uint start, uint row, vec3 rgb) {
  const uint at = start + 3 * row;
  precise const float sum = (table[at] * rgb.r + table[at + 1] * rgb.g) + table[at + 2] * rgb.b;
  const float x = min(max(sum, 0.0), kMostLight);
  if (x < kLeastLight) return kPqOfDarkness;
  const uint bits = floatBitsToUint(x) - kLeastLightBits, i = kPqStart + (bits >> kPqShift);
  precise const float f = float(bits & kLowBits) * (1.0 / 32768.0);
  const float low = table[i], high = table[i + 1];
  precise const float pq = low + f * (high - low);
  return pq;
}

float root(float z) {
  if (z < kLeastSquare) return 0;
  precise float r = uintBitsToFloat(0x5F3759DFu - (floatBitsToUint(z) >> 1));
  precise const float half_z = 0.5 * z;
  [[unroll]] for (int i = 0; i < 3; ++i) r = r * (1.5 - half_z * (r * r));
  precise const float found = z * r;
  return found;
}

// The squared difference of PQ codes.
uint squared_error(uint row, vec3 first, vec3 second) {
  precise const float first_code = pq_of(0, row, first) * 65535.0 + 0.5;
  precise const float second_code = pq_of(3 * kMatrixRows, row, second) * 65535.0 + 0.5;
  const uint difference = uint(first_code) - uint(second_code);
  return difference * difference;
}

float difference_of(uint row, vec3 first, vec3 second) {
  precise const float difference = pq_of(0, row, first) - pq_of(3 * kMatrixRows, row, second);
  return difference;
}

void compare(vec3 first, vec3 second) {
  const float l = difference_of(0, first, second), m = difference_of(1, first, second),
              s = difference_of(2, first, second);
  precise const float ci = 0.5 * (l + m);
  precise const float ct = ((6610.0 / 8192.0) * l - (13613.0 / 8192.0) * m) + (7003.0 / 8192.0) * s;
  precise const float cp = ((17933.0 / 4096.0) * l - (17390.0 / 4096.0) * m) - (543.0 / 4096.0) * s;
  precise const float z = (ci * ci + ct * ct) + cp * cp;
  add_amount(root(z), p.factor);
  const uint luminance = squared_error(3, first, second);
  low_luminance += luminance & 0xFFFF;
  high_luminance += luminance >> 16;
  [[unroll]] for (uint row = 4; row < kMatrixRows; ++row) {
    const uint error = squared_error(row, first, second);
    low_rgb += error & 0xFFFF;
    high_rgb += error >> 16;
  }
}

void main() {
  start_amounts();
  const uint x = gl_GlobalInvocationID.x, first = gl_GlobalInvocationID.y * kAmountRows;
  for (uint y = first; y < min(first + kAmountRows, p.height); ++y) {
    if (x >= p.width) break;
    const uint at = y * p.stride + x;
    compare(vec3(first_red[at], first_green[at], first_blue[at]),
            vec3(second_red[at], second_green[at], second_blue[at]));
  }
  add_word(kLuminanceWord, low_luminance);
  add_word(kLuminanceWord + 1, high_luminance);
  add_word(kRgbWord, low_rgb);
  add_word(kRgbWord + 1, high_rgb);
  finish_amounts();
}
