// coarse_decouple, coarse_weigh, reference_cubes and masked_cubes of feature/adm/adm.h in one: the sums of a
// coarser scale; see cubes.glsl.
#include "shared.h"
#include "area.glsl"
#include "../common/wide.glsl"
#include "alignment.glsl"

const uvec3 kThresholdShifts = uvec3(0);

#include "cubes.glsl"

layout(std430, binding = 0) readonly buffer Detail { int detail[]; };

Position load(uint row, uint column) {
  const uint columns = p.area.end_column - p.area.first_column, first = place_in_area(0, row, column, p.area);
  const uint band = columns * p.area.pitch, distorted = first + 3 * band;
  return Position(ivec3(detail[first], detail[first + band], detail[first + 2 * band]),
                  ivec3(detail[distorted], detail[distorted + band], detail[distorted + 2 * band]));
}

// The leading 15 bits of the reference count. Distorted values of twice its size give 1, so quotients fit 32
// bits.
uvec3 ratios(uvec3 size, uvec3 distorted) {
  const uvec3 one_or_more = max(size, uvec3(1));
  const uvec3 shift = uvec3(max(findMSB(one_or_more) - 14, ivec3(0)));
  const uvec3 leading = (one_or_more + ((uvec3(1) << shift) >> 1)) >> shift;
  const Wide3 product = wide_product(uvec3(1 << 30) / leading, min(distorted, 2 * one_or_more));
  return min(wide_rounded_shift(product, shift + 15).low, uvec3(kOne));
}

// A share of 32 bits after the point, with a rounding constant that has turned negative in the reference.
uint share(uvec3 size, uint of) {
  const Wide3 product = wide_product(size, uvec3(of));
  const uvec3 shares = product.high - 1 + (product.low >> 31);
  return shares.x + shares.y + shares.z;
}

Part weighed(ivec3 coefficients) {
  const uvec3 negative = uvec3(lessThan(coefficients, ivec3(0)));
  const Wide3 product = wide_product(factors(), uvec3(abs(coefficients)));
  // Rounded as a number with its sign, which may wrap.
  const uvec3 weighted = wide_shift(wide_sum(product, (1 << 27) - negative), uvec3(28)).low;
  const uvec3 size = uvec3(abs(ivec3(weighted)));
  return Part(size, share(size, 143165577), share(size, 286331153));
}

Wide3 reference_cubes(uvec3 size) {
  const Wide3 square = wide_product(size, size);
  const uint bias = 1u << p.reference_square;
  const uvec3 shifted = wide_shift(wide_sum(square, uvec3(bias)), uvec3(p.reference_square)).low;
  return wide_rounded_shift(wide_product(shifted, size), uvec3(p.reference_cube));
}
