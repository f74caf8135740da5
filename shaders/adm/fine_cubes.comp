// fine_decouple, fine_weigh, reference_cubes and masked_cubes of feature/adm/adm.h in one: the sums of the
// finest scale; see cubes.glsl.
#include "shared.h"
#include "area.glsl"
#include "../common/wide.glsl"
#include "alignment.glsl"

const uvec3 kThresholdShifts = uvec3(10, 10, 12);

#include "cubes.glsl"

layout(std430, binding = 0) readonly buffer Detail { uint detail[]; };

Position load(uint row, uint column) {
  const uint columns = p.area.end_column - p.area.first_column, first = place_in_area(0, row, column, p.area);
  const ivec3 both = ivec3(detail[first], detail[first + columns * p.area.pitch],
                           detail[first + 2 * columns * p.area.pitch]);
  return Position(both << 16 >> 16, both >> 16);
}

// Sizes have at most 15 bits. What is larger than the reference gives 1; then products fit 32 bits.
uvec3 ratios(uvec3 size, uvec3 distorted) {
  const uvec3 reciprocal = uvec3(1 << 30) / max(size, uvec3(1));
  return min((reciprocal * min(distorted, size + 1) + kOne / 2) >> 15, uvec3(kOne));
}

ivec3 of_16_bits(ivec3 numbers) {
  return bitfieldExtract(numbers, 0, 16);
}

Part weighed(ivec3 coefficients) {
  const ivec3 weighted = ivec3(factors()) * coefficients;
  const ivec3 cut = of_16_bits((weighted + ivec3(1 << 14, 1 << 14, (1 << 16) - 1)) >> ivec3(15, 15, 17));
  const ivec3 size = abs(cut);
  const ivec3 sides = of_16_bits((4369 * size + 2048) >> 12),
              centres = of_16_bits((8738 * size + 2048) >> 12);
  return Part(uvec3(abs(weighted)), uint(sides.x + sides.y + sides.z),
              uint(centres.x + centres.y + centres.z));
}

Wide3 reference_cubes(uvec3 size) {
  return wide_product(size * size, size);
}
