// shrink of feature/ssim/ssim.h: pictures shrunk to means of boxes. Products that are rounded to floats, and
// their sums, which fit 52 bits, are made of integers: a sum is rounded once, at the end, as that of doubles
// is, and no device can do it otherwise.
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 0) const uint kBytes = 1;
layout(constant_id = 1) const bool kIsExact = false;

layout(std430, binding = 0) readonly buffer In { uint in_words[]; };
layout(std430, binding = 1) writeonly buffer Out { uint out_floats[]; };  // their bits

layout(push_constant) uniform Push { ShrinkPush p; };

const int kSamples = int(4 / kBytes);  // of a word
const uint kMask = kBytes == 1 ? 0xFF : 0xFFFF;
const int kMantissaBits = 24;
// A product is below 2^40: its bits from this one on, and those below it, are added up apart, 64 x 64 of them
// in a word each.
const uint kLowBits = 20;

int bits_of(uint high, uint low) {
  return high != 0 ? 33 + findMSB(high) : 1 + findMSB(low);
}

// Adds the value rounded to `dropped` fewer bits, half to even. Needs: dropped below 32.
void round_up(int dropped, inout uint high, inout uint low) {
  if (dropped <= 0) return;
  const uint below_half = (1u << (dropped - 1)) - 1;
  uint carry;
  low = uaddCarry(low, below_half + (low >> dropped & 1), carry);
  high += carry;
}

// The sum of the box: low + 2^kLowBits high.
uint sum_low = 0, sum_high = 0;

void add(uint s) {
  if (kIsExact) {
    sum_low += s;
    return;
  }
  uint high = 0, low = 0;
  if (kBytes == 1) {
    low = s * p.mantissa;
  } else {
    umulExtended(s, p.mantissa, high, low);
  }
  const int dropped = max(bits_of(high, low) - kMantissaBits, 0);  // 16 at most
  round_up(dropped, high, low);
  low = low >> dropped << dropped;
  sum_low += low & ((1 << kLowBits) - 1);
  sum_high += high << (32 - kLowBits) | low >> kLowBits;
}

// The bits of the float next to the sum, a half to even.
uint sum_as_float() {
  const uint upper = sum_high + (sum_low >> kLowBits);
  uint high = upper >> (32 - kLowBits), low = upper << kLowBits | (sum_low & ((1 << kLowBits) - 1));
  if ((high | low) == 0) return 0;
  const int dropped = bits_of(high, low) - kMantissaBits;
  if (dropped <= 0) return (p.exponent + dropped << 23) + (low << -dropped) - (1 << 23);
  round_up(dropped, high, low);
  // Where rounding makes it 2^24, the carry goes to the exponent, as it should.
  return (p.exponent + dropped << 23) + (high << (32 - dropped) | low >> dropped) - (1 << 23);
}

uint word_at(uint row, int x) {
  return in_words[(row + uint(x) * kBytes) / 4];
}

// A part of a row inside the picture.
void add_inside(uint row, int first, int end) {
  for (int x = first / kSamples * kSamples; x < end; x += kSamples) {
    const uint word = word_at(row, x);
    [[unroll]] for (int k = 0; k < kSamples; ++k) {
      if (first <= x + k && x + k < end) add(word >> 8 * kBytes * k & kMask);
    }
  }
}

int mirrored(int i, int n) {
  return i < 0 ? -1 - i : i < n ? i : 2 * n - 1 - i;
}

void main() {
  const ivec2 place = ivec2(gl_GlobalInvocationID.xy);
  if (place.x >= p.out_width || place.y >= p.out_height) return;
  const int factor = int(p.factor), width = int(p.width);
  const ivec2 first = place * factor - factor / 2;
  for (int v = 0; v < factor; ++v) {
    const uint row = uint(mirrored(first.y + v, int(p.height))) * p.stride;
    if (0 <= first.x && first.x + factor <= width) {
      add_inside(row, first.x, first.x + factor);
      continue;
    }
    for (int u = 0; u < factor; ++u) {
      const int x = mirrored(first.x + u, width);
      add(word_at(row, x) >> 8 * kBytes * (x % kSamples) & kMask);
    }
  }
  out_floats[place.y * p.out_stride + place.x] = sum_as_float();
}
