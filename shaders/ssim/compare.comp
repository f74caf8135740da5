// compare of feature/ssim/ssim.h: two pictures compared through a window. Each work group filters the rows of
// a tile and its margin, one quantity after the other, then their columns, and adds up what it finds at its
// positions.
#include "../common/double_sum.glsl"
#include "../common/quotient.glsl"
#include "../common/root.glsl"
#include "picture.glsl"
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 0) const uint kBytesA = 1;
layout(constant_id = 1) const uint kBytesB = 1;
layout(constant_id = 2) const bool kInDoubles = false;

layout(std430, binding = 0) readonly buffer A { uint words_a[]; };
layout(std430, binding = 1) readonly buffer B { uint words_b[]; };
layout(std430, binding = 2) writeonly buffer Sums { TileSum sums[]; };

layout(push_constant) uniform Push { ComparePush p; };

const uint kTaps = 11, kMargin = kTaps - 1;
const float kWindow[kTaps] = {0.001028, 0.007599, 0.036001, 0.109361, 0.213006, 0.266012,
                              0.213006, 0.109361, 0.036001, 0.007599, 0.001028};
// For kTaps terms; see is_settled().
const float kShare = 1.0 / (1 << 20) / (1 << 21);

// Quantities that the window is applied to.
const uint kA = 0, kB = 1, kSquareA = 2, kSquareB = 3, kProduct = 4, kQuantities = 5;

const uint kTileRows = kGroupY * kRowsEach;
// One quantity, filtered.
shared float filtered[(kTileRows + kMargin) * kGroupX];

shared int group_sums[6];
shared uint group_size;
shared bool has_no_size;

float sample_a(uint x, uint y) {
  const uint at = y * p.stride_a + x * kBytesA;
  return sample_in(words_a[at / 4], at, kBytesA, p.unit_a);
}
float sample_b(uint x, uint y) {
  const uint at = y * p.stride_b + x * kBytesB;
  return sample_in(words_b[at / 4], at, kBytesB, p.unit_b);
}

float quantity_at(uint quantity, uint x, uint y) {
  if (quantity == kA) return sample_a(x, y);
  if (quantity == kB) return sample_b(x, y);
  const float a = quantity == kSquareB ? sample_b(x, y) : sample_a(x, y);
  const float b = quantity == kSquareA ? a : quantity == kSquareB ? a : sample_b(x, y);
  precise const float product = a * b;
  return product;
}

float weighted(float number, uint tap) {
  precise const float term = number * kWindow[tap];
  return term;
}

// As doubles would add up the terms.
float exact_row_mean(uint quantity, uint x, uint y) {
  SignedDouble sum = kDoubleZero;
  [[dont_unroll]] for (uint i = 0; i < kTaps; ++i) {
    sum = sum_of(sum, double_of(weighted(quantity_at(quantity, x + i, y), i)));
  }
  return float_of(sum);
}
float exact_column_mean(uint place) {
  SignedDouble sum = kDoubleZero;
  [[dont_unroll]] for (uint i = 0; i < kTaps; ++i) {
    sum = sum_of(sum, double_of(weighted(filtered[place + i * kGroupX], i)));
  }
  return float_of(sum);
}

float row_mean(uint quantity, uint x, uint y) {
  PairSum sum = PairSum(0, 0, 0);
  [[unroll]] for (uint i = 0; i < kTaps; ++i) add_term(sum, weighted(quantity_at(quantity, x + i, y), i));
  float rounded;
  return is_settled(sum, kShare, rounded) && !kInDoubles ? rounded : exact_row_mean(quantity, x, y);
}
float column_mean(uint place) {
  PairSum sum = PairSum(0, 0, 0);
  [[unroll]] for (uint i = 0; i < kTaps; ++i) add_term(sum, weighted(filtered[place + i * kGroupX], i));
  float rounded;
  return is_settled(sum, kShare, rounded) && !kInDoubles ? rounded : exact_column_mean(place);
}

// The rows of a tile; those beyond the picture's last ones, which no position inside needs, are repeated.
void filter_rows(uint quantity) {
  const uint x = min(gl_GlobalInvocationID.x, p.width - kTaps), top = gl_WorkGroupID.y * kTileRows;
  [[dont_unroll]] for (uint row = gl_LocalInvocationID.y; row < kTileRows + kMargin; row += kGroupY) {
    filtered[row * kGroupX + gl_LocalInvocationID.x] = row_mean(quantity, x, min(top + row, p.height - 1));
  }
}

// An unevaluated sum, the first the larger one.
struct Pair {
  float high, low;
};

// a * b, off by some 2^-46 of it.
Pair pair_product(float a, float b) {
  const float upper_a = uintBitsToFloat(floatBitsToUint(a) & 0xFFFFF000u);
  const float upper_b = uintBitsToFloat(floatBitsToUint(b) & 0xFFFFF000u);
  precise const float lower_a = a - upper_a, lower_b = b - upper_b, high = a * b;
  precise const float low =
      ((upper_a * upper_b - high) + upper_a * lower_b + lower_a * upper_b) + lower_a * lower_b;
  return Pair(high, low);
}

Pair pair_sum(Pair a, float b) {
  precise const float high = a.high + b;
  precise const float low = a.low + lost_in(high, a.high, b);
  return Pair(high, low);
}

// In units of 2^-kWholeBits and of 2^-kRestBits.
QuotientSum in_units(Pair number) {
  precise const float scaled = number.high * float(1 << kWholeBits), whole = floor(scaled);
  precise const float rest = (scaled - whole) * float(1 << (kRestBits - kWholeBits));
  precise const float lower = number.low * float(1 << kWholeBits) * float(1 << (kRestBits - kWholeBits));
  return QuotientSum(int(whole), int(round(rest)) + int(round(lower)));
}

// a / b. What the device takes for the quotient is off by a few units, which the rest makes good.
QuotientSum quotient_of(Pair a, float b) {
  const float high = a.high / b;
  const Pair product = pair_product(high, b);
  precise const float rest = ((a.high - product.high) - product.low) + a.low;
  return in_units(Pair(high, rest / b));
}

void add_up(QuotientSum sum, uint part) {
  atomicAdd(group_sums[2 * part], sum.whole);
  atomicAdd(group_sums[2 * part + 1], sum.rest);
}

void add_structure(float structure) {
  const float size = abs(structure);
  if (!(size <= kMostStructure)) {
    has_no_size = true;
    return;
  }
  add_up(in_units(Pair(structure, 0)), 2);
  atomicAdd(group_size, uint(ceil(size * float(1 << kSizeBits))));
}

void compare(float mean[kQuantities]) {
  const float a = mean[kA], b = mean[kB];
  precise const float square_a = a * a, square_b = b * b;
  precise const float variance_a = max(mean[kSquareA] - square_a, 0),
                      variance_b = max(mean[kSquareB] - square_b, 0);
  precise const float covariance = mean[kProduct] - a * b;
  precise const float variances = variance_a * variance_b;
  const float deviations = root(variances);
  precise const float luminance_divisor = square_a + square_b + p.c1;
  precise const float contrast_divisor = variance_a + variance_b + p.c2;
  const float counted = covariance < 0 && deviations <= 0 ? 0 : covariance;
  precise const float structure = counted + p.c3, structure_divisor = deviations + p.c3;
  precise const float twice_a = 2 * a, twice_deviations = 2 * deviations;
  add_up(quotient_of(pair_sum(pair_product(twice_a, b), p.c1), luminance_divisor), 0);
  add_up(quotient_of(pair_sum(Pair(twice_deviations, 0), p.c2), contrast_divisor), 1);
  add_structure(quotient(structure, structure_divisor));
}

void main() {
  if (gl_LocalInvocationIndex < 6) group_sums[gl_LocalInvocationIndex] = 0;
  if (gl_LocalInvocationIndex == 0) {
    group_size = 0;
    has_no_size = false;
  }
  float means[kRowsEach][kQuantities];
  [[unroll]] for (uint quantity = 0; quantity < kQuantities; ++quantity) {
    filter_rows(quantity);
    barrier();
    for (uint i = 0; i < kRowsEach; ++i) {
      const uint row = gl_LocalInvocationID.y + i * kGroupY;
      means[i][quantity] = column_mean(row * kGroupX + gl_LocalInvocationID.x);
    }
    barrier();
  }
  for (uint i = 0; i < kRowsEach; ++i) {
    const uint y = gl_WorkGroupID.y * kTileRows + gl_LocalInvocationID.y + i * kGroupY;
    if (gl_GlobalInvocationID.x + kMargin < p.width && y + kMargin < p.height) compare(means[i]);
  }
  barrier();
  if (gl_LocalInvocationIndex == 0) {
    sums[p.first_sum + gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x] =
        TileSum(QuotientSum(group_sums[0], group_sums[1]), QuotientSum(group_sums[2], group_sums[3]),
                QuotientSum(group_sums[4], group_sums[5]), has_no_size ? kNoSize : group_size);
  }
}
