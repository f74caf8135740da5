// Square roots of floats that are rounded correctly, which those of Vulkan need not be: of whole numbers.

#include "wide.glsl"

bool exceeds(Wide a, Wide b) {
  return a.high > b.high || (a.high == b.high && a.low > b.low);
}

// Needs: not negative, and finite. Subnormal numbers count as 0.
float root(float number) {
  const uint bits = floatBitsToUint(number);
  if (bits < 1u << 23) return 0;
  const int exponent = int(bits >> 23) - 127, half_exponent = exponent >> 1;
  // number = square * 2^(2 half_exponent - 46), so that the root of `square` has the 24 bits of a float.
  const uint significand = bits & (1u << 23) - 1 | 1u << 23;
  const Wide square = wide_left_shift(Wide(significand, 0), 23 + uint(exponent & 1));
  // The device's root is off by a few units.
  uint found = uint(sqrt(float(significand << (exponent & 1)) * (1.0 / 8388608)) * 8388608);
  while (exceeds(wide_product(found, found), square)) --found;
  while (!exceeds(wide_product(found + 1, found + 1), square)) ++found;
  // The square of found + 1/2 is no whole number.
  if (exceeds(square, wide_sum(wide_product(found, found), found))) ++found;
  // A carry goes on into the exponent.
  return uintBitsToFloat((uint(half_exponent + 127) << 23) + (found - (1u << 23)));
}
