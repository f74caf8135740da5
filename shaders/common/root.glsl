// Square roots of floats that are rounded correctly, which those of Vulkan need not be: of whole numbers.

// The root of a whole number, rounded: of its low 32 bits, and of an estimate below 2^24. A device's is off
// by a few units, so 32 bits hold what its square leaves; 2^5 units would be too many.
uint rounded_root(uint square, uint found) {
  int rest = int(square - found * found);
  for (; rest < 0; rest += int(2 * found + 1)) --found;
  for (; rest > int(2 * found); rest -= int(2 * found - 1)) ++found;
  // The square of found + 1/2 is no whole number.
  return found + uint(rest > int(found));
}

// Needs: not negative, and finite. Subnormal numbers count as 0.
float root(float number) {
  const uint bits = floatBitsToUint(number);
  if (bits < 1u << 23) return 0;
  const int exponent = int(bits >> 23) - 127, half_exponent = exponent >> 1;
  // number = 2^23 significand * 2^(2 half_exponent - 46), so that the root has the 24 bits of a float.
  const uint significand = (bits & (1u << 23) - 1 | 1u << 23) << (exponent & 1);
  const uint estimate = uint(sqrt(float(significand) * (1.0 / 8388608)) * 8388608);
  // A carry goes on into the exponent.
  return uintBitsToFloat((uint(half_exponent + 127) << 23) +
                         (rounded_root(significand << 23, estimate) - (1u << 23)));
}
