// colours and differences of feature/ciede/ciede.h in one: the CIEDE2000 differences of two pictures. In
// double, with the operations of the stages in their order; `precise` forbids to contract them.
#include "../common/quotient.glsl"
#include "elementary.glsl"
#include "shared.h"
#include "../common/chunk_terms.glsl"

layout(local_size_x = kChunkBlocks) in;
layout(constant_id = 0) const uint kBytesFirst = 1;
layout(constant_id = 1) const uint kBytesSecond = 1;

layout(std430, binding = 0) readonly buffer FirstY { uint first_y[]; };
layout(std430, binding = 1) readonly buffer FirstCb { uint first_cb[]; };
layout(std430, binding = 2) readonly buffer FirstCr { uint first_cr[]; };
layout(std430, binding = 3) readonly buffer SecondY { uint second_y[]; };
layout(std430, binding = 4) readonly buffer SecondCb { uint second_cb[]; };
layout(std430, binding = 5) readonly buffer SecondCr { uint second_cr[]; };
layout(std430, binding = 6) writeonly buffer Terms { float terms[]; };
layout(std430, binding = 7) writeonly buffer Sums { float chunk_sums[]; };

layout(push_constant) uniform Push { DifferencesPush p; };

struct Samples {
  uint y, cb, cr;
};
struct Lab {
  float l, a, b;
};

uint in_word(uint word, uint at, uint bytes) {
  return bytes == 1 ? word >> 8 * (at & 3) & 0xFF : word >> 8 * (at & 2) & 0xFFFF;
}
uvec2 chroma_place(uvec2 place, PictureLayout layout_of) {
  return uvec2(min(place.x >> layout_of.shift_x, layout_of.last_column),
               min(place.y >> layout_of.shift_y, layout_of.last_row));
}
Samples first_samples(uvec2 place) {
  const uvec2 chroma = chroma_place(place, p.first);
  const uint at = place.y * p.first.stride + place.x * kBytesFirst;
  const uint chroma_at = chroma.y * p.first.chroma_stride + chroma.x * kBytesFirst;
  return Samples(in_word(first_y[at / 4], at, kBytesFirst) << p.first.depth_shift & 0xFFFF,
                 in_word(first_cb[chroma_at / 4], chroma_at, kBytesFirst) << p.first.depth_shift & 0xFFFF,
                 in_word(first_cr[chroma_at / 4], chroma_at, kBytesFirst) << p.first.depth_shift & 0xFFFF);
}
Samples second_samples(uvec2 place) {
  const uvec2 chroma = chroma_place(place, p.second);
  const uint at = place.y * p.second.stride + place.x * kBytesSecond;
  const uint chroma_at = chroma.y * p.second.chroma_stride + chroma.x * kBytesSecond;
  return Samples(in_word(second_y[at / 4], at, kBytesSecond) << p.second.depth_shift & 0xFFFF,
                 in_word(second_cb[chroma_at / 4], chroma_at, kBytesSecond) << p.second.depth_shift & 0xFFFF,
                 in_word(second_cr[chroma_at / 4], chroma_at, kBytesSecond) << p.second.depth_shift & 0xFFFF);
}

// Rounds a quantity that the standard names, which is a float. Mesa 25 drops the rounding if it becomes a
// double again. Adding 0, which the compiler cannot know the shifted width to be, prevents that.
float rounded(double v) {
  return uintBitsToFloat(floatBitsToUint(float(v)) + (p.width >> 31));
}

double linear(double c) {
  if (c > 0.0392156862745098lf) {
    precise const double base = (c + 0.055lf) * 0.9478672985781991lf;
    return power(base, 2.4lf);
  }
  precise const double scaled = c * 0.07739938080495357lf;
  return scaled;
}
// Rounded, as all that follows from it.
double lightness_of(double t) {
  if (t > 0.008856451679035631lf) return double(rounded(power(t, 0.3333333333333333lf)));
  precise const double f = (903.2962962962963lf * t + 16) * 0.008620689655172414lf;
  return double(rounded(f));
}

Lab colour_of(Samples samples) {
  const double luma_unit = packDouble2x32(uvec2(p.luma_unit_low, p.luma_unit_high));
  const double chroma_unit = packDouble2x32(uvec2(p.chroma_unit_low, p.chroma_unit_high));
  precise const double y = (double(samples.y) - double(16 * p.step)) * luma_unit;
  precise const double cb = (double(samples.cb) - double(128 * p.step)) * chroma_unit;
  precise const double cr = (double(samples.cr) - double(128 * p.step)) * chroma_unit;
  precise double c[3];
  c[0] = y + 1.28033lf * cr;
  c[1] = y - 0.21482lf * cb - 0.38059lf * cr;
  c[2] = y + 2.12798lf * cb;
  [[dont_unroll]] for (int i = 0; i < 3; ++i) c[i] = linear(c[i]);
  precise double t[3];
  t[0] = (c[0] * 0.4124564390896921lf + c[1] * 0.357576077643909lf + c[2] * 0.18043748326639894lf) *
         1.0521110608435826lf;
  t[1] = c[0] * 0.21267285140562248lf + c[1] * 0.715152155287818lf + c[2] * 0.07217499330655958lf;
  t[2] = (c[0] * 0.019333895582329317lf + c[1] * 0.119192025881303lf + c[2] * 0.9503040785363677lf) *
         0.9184170164304805lf;
  [[dont_unroll]] for (int i = 0; i < 3; ++i) t[i] = lightness_of(t[i]);
  precise const double l = 116 * t[1] - 16, a = 500 * (t[0] - t[1]), b = 200 * (t[1] - t[2]);
  return Lab(rounded(l), rounded(a), rounded(b));
}

double square(double v) {
  precise const double product = v * v;
  return product;
}
float length_of(float x, float y) {
  precise const double sum = square(double(x)) + square(double(y));
  return rounded(root(sum));
}
double seventh_power(double v) {
  precise const double third = square(v) * v;
  precise const double seventh = square(third) * v;
  return seventh;
}

float hue_of(float b, float a) {
  const float h = rounded(angle(double(b), double(a)));
  precise const double turned = double(h) + 2 * kPi;
  return h < 0 ? rounded(turned) : h;
}

struct Hues {
  float difference, mean;
};
Hues compare_hues(float first, float second) {
  precise const float difference = second - first, sum = first + second;
  if (double(abs(difference)) <= kPi) {
    precise const double half_of_sum = double(sum) * 0.5lf;
    return Hues(difference, rounded(half_of_sum));
  }
  precise const double turned = double(difference) + (second <= first ? 2 * kPi : -2 * kPi);
  precise const double mean = (double(sum) + 2 * kPi) * 0.5lf;
  return Hues(rounded(turned), rounded(mean));
}

// T of the standard.
float hue_weight(float hue) {
  const SineCosine once = sine_cosine(double(hue));
  const double s1 = once.sine, c1 = once.cosine;
  precise const double s2 = 2 * s1 * c1, c2 = 2 * c1 * c1 - 1;
  precise const double s3 = s2 * c1 + c2 * s1, c3 = c2 * c1 - s2 * s1;
  precise const double s4 = 2 * s2 * c2, c4 = 2 * c2 * c2 - 1;
  precise const double weight = 1 - 0.17lf * (c1 * 0.8660254037844386lf + s1 * 0.5lf) + 0.24lf * c2 +
                                0.32lf * (c3 * 0.9945218953682733lf - s3 * 0.10452846326765347lf) -
                                0.20lf * (c4 * 0.4539904997395468lf + s4 * 0.8910065241883679lf);
  return rounded(weight);
}

// R_T of the standard. What is subnormal here, and may be 0, is too small to change what it is added to.
float rotation(float mean_chroma, float mean_hue) {
  const float chroma_7 = rounded(seventh_power(double(mean_chroma)));
  precise const float sum = chroma_7 + 6103515625.0;
  const float share = quotient(chroma_7, sum);
  precise const double in_degrees = double(mean_hue) * 57.29577951308232lf;
  precise const double off = (double(rounded(in_degrees)) - 275) * 0.04lf;
  const float distance_off = rounded(off);
  precise const float squared = distance_off * distance_off;
  precise const double degrees_turned = 60 * exponential(-double(squared));
  precise const double radians_turned = double(rounded(degrees_turned)) * 0.017453292519943295lf;
  precise const double rotated = -2 * root(double(share)) * sine(double(rounded(radians_turned)));
  return rounded(rotated);
}

float difference_of(Lab first, Lab second) {
  precise const float mean_l = (first.l + second.l) * 0.5, from_middle = mean_l - 50;
  const double off_middle = square(double(from_middle));
  precise const double beyond = 20 + off_middle, scaled = 0.015lf * off_middle;
  precise const double weight_of_l = 1 + quotient(scaled, root(beyond));
  const float weight_l = rounded(weight_of_l);

  precise const float mean_length = (length_of(first.a, first.b) + length_of(second.a, second.b)) * 0.5;
  const double chroma_7 = seventh_power(double(mean_length));
  precise const double chroma_sum = chroma_7 + 6103515625.0lf;
  precise const double stretch = 1 - root(quotient(chroma_7, chroma_sum));
  precise const double stretched1 = double(first.a) + double(first.a * 0.5) * stretch;
  precise const double stretched2 = double(second.a) + double(second.a * 0.5) * stretch;
  const float a1 = rounded(stretched1), a2 = rounded(stretched2);
  const float chroma1 = length_of(a1, first.b), chroma2 = length_of(a2, second.b);
  precise const float mean_chroma = (chroma1 + chroma2) * 0.5;
  precise const double weight_of_c = 1 + 0.045lf * double(mean_chroma);

  const Hues hues = compare_hues(hue_of(first.b, a1), hue_of(second.b, a2));
  precise const float chromas = chroma1 * chroma2;
  precise const double hue_distance = 2 * root(double(chromas)) * sine(double(hues.difference) * 0.5lf);
  precise const double weight_of_h = 1 + 0.015lf * double(mean_chroma) * double(hue_weight(hues.mean));

  precise const float delta_l = second.l - first.l, divisor_l = 0.65 * weight_l;
  precise const float delta_c = chroma2 - chroma1, divisor_h = 4 * rounded(weight_of_h);
  const float l = quotient(delta_l, divisor_l), c = quotient(delta_c, rounded(weight_of_c)),
              h = quotient(rounded(hue_distance), divisor_h);
  precise const float turned = rotation(mean_chroma, hues.mean) * c * h;
  precise const double sum = square(double(l)) + square(double(c)) + square(double(h)) + double(turned);
  return rounded(root(sum));
}

float difference_at(uvec2 place) {
  Lab colours[2];
  [[dont_unroll]] for (int i = 0; i < 2; ++i) {
    Samples samples;
    if (i == 0) {
      samples = first_samples(place);
    } else {
      samples = second_samples(place);
    }
    colours[i] = colour_of(samples);
  }
  return difference_of(colours[0], colours[1]);
}

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint first = (p.first_block + gl_WorkGroupID.x * kChunkBlocks + lane) * kBlockTerms;
  float sum = 0;
  [[dont_unroll]] for (uint i = 0; i < kBlockTerms; ++i) {
    const uvec2 place = uvec2((first + i) % p.width, (first + i) / p.width);
    const float term = place.y < p.height ? difference_at(place) : 0;
    terms[term_place(gl_WorkGroupID.x, lane, i)] = term;
    sum += term;
  }
  const float sum_of_all = chunk_sum(sum);
  if (lane == 0) chunk_sums[gl_WorkGroupID.x] = sum_of_all;
}
