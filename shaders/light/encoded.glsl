// R, G and B of a picture's sample as they are encoded: spread_chroma, blend_rows and the first half of
// to_light of feature/light/light.h in one. Interpolation goes along columns first, then along rows, as
// there. All floats are `precise`: nothing is contracted, and sums and products are rounded to nearest
// (ADR 0068).
// Whoever includes this has the buffer `table`, the members of ToLightPush from chroma_width on in `p`, and
// the two functions of pictures, by their numbers.
#ifndef LIGHT_ENCODED_GLSL
#define LIGHT_ENCODED_GLSL

layout(constant_id = 0) const uint kBytes = 1;
layout(constant_id = 2) const uint kShiftX = 1;
layout(constant_id = 3) const uint kShiftY = 1;
layout(constant_id = 4) const bool kHasChroma = true;
layout(constant_id = 5) const bool kIsRgb = false;
layout(constant_id = 7) const bool kIsBilinear = false;

const uint kMask = kBytes == 1 ? 0xFF : 0xFFFF;

uint word_of(uint picture, uint plane, uint at);
uint stride_of(uint picture, uint plane);  // bytes

float sample_at(uint picture, uint plane, uint column, uint row) {
  const uint at = row * stride_of(picture, plane) + column * kBytes;
  return float(word_of(picture, plane, at / 4) >> (8 * (at & 3)) & kMask);
}

vec2 chroma_sample(uint picture, int x, int y) {
  const uint column = uint(clamp(x, 0, int(p.chroma_width) - 1)),
             row = uint(clamp(y, 0, int(p.chroma_height) - 1));
  const vec2 samples = vec2(sample_at(picture, 1, column, row), sample_at(picture, 2, column, row));
  precise const vec2 scaled = (samples - p.chroma_offset) * vec2(p.chroma_factor);
  return kIsBilinear ? clamp(scaled, vec2(-0.5), vec2(0.5)) : scaled;
}

// First sample and taps of a phase.
int first_of(uint entry) {
  return int(table[entry]);
}
vec4 taps_of(uint entry) {
  return vec4(table[entry + 1], table[entry + 2], table[entry + 3], table[entry + 4]);
}
bool is_plain(vec4 taps) {
  return taps.y == 1.0;
}

// The outer taps of bilinear interpolation are 0.
vec2 sum_of(vec4 taps, vec2 b, vec2 c) {
  precise const vec2 sum = vec2(taps.y) * b + vec2(taps.z) * c;
  return sum;
}
vec2 sum_of(vec4 taps, vec2 a, vec2 b, vec2 c, vec2 d) {
  precise const vec2 sum = ((vec2(taps.x) * a + vec2(taps.y) * b) + vec2(taps.z) * c) + vec2(taps.w) * d;
  return sum;
}

vec2 chroma_row(uint picture, int first, vec4 taps, int y) {
  const vec2 b = chroma_sample(picture, first + 1, y);
  if (is_plain(taps)) return b;
  const vec2 c = chroma_sample(picture, first + 2, y);
  if (kIsBilinear) return sum_of(taps, b, c);
  return sum_of(taps, chroma_sample(picture, first, y), b, c, chroma_sample(picture, first + 3, y));
}

// Cb and Cr.
vec2 chroma_at(uint picture, uint x, uint y) {
  const uint column = (x & ((1u << kShiftX) - 1)) * kPhaseFloats;
  const uint row = (kPhases + (y & ((1u << kShiftY) - 1))) * kPhaseFloats;
  const int first_x = int(x >> kShiftX) + first_of(column), first_y = int(y >> kShiftY) + first_of(row);
  const vec4 taps_x = taps_of(column), taps_y = taps_of(row);
  const vec2 b = chroma_row(picture, first_x, taps_x, first_y + 1);
  if (is_plain(taps_y)) return b;
  const vec2 c = chroma_row(picture, first_x, taps_x, first_y + 2);
  if (kIsBilinear) return sum_of(taps_y, b, c);
  return sum_of(taps_y, chroma_row(picture, first_x, taps_x, first_y), b, c,
                chroma_row(picture, first_x, taps_x, first_y + 3));
}

vec3 components(float y, vec2 chroma) {
  if (kIsRgb) return vec3(chroma.y, y, chroma.x);
  precise const float r = y + p.red_of_cr * chroma.y;
  precise const float b = y + p.blue_of_cb * chroma.x;
  precise const float g = ((y - p.kr * r) - p.kb * b) * p.one_over_kg;
  return vec3(r, g, b);
}

vec3 encoded_at(uint picture, uint x, uint y) {
  precise const float luma = (sample_at(picture, 0, x, y) - p.luma_offset) * p.luma_factor;
  const float limited = kIsBilinear ? clamp(luma, 0.0, 1.0) : luma;
  return components(limited, kHasChroma ? chroma_at(picture, x, y) : vec2(0));
}

#endif
