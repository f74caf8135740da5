// Division of floats that is rounded correctly, which that of Vulkan need not be: of whole numbers, the significands.

const uint kSignificandBits = 23;  // that a float keeps
const uint kLeadingBit = 1 << kSignificandBits, kSignBit = 1u << 31, kExponentBias = 127;

// Needs: b is neither 0 nor subnormal; neither of them, nor the quotient, is infinite. What is subnormal counts as 0.
float quotient(float a, float b) {
  const uint bits_a = floatBitsToUint(a), bits_b = floatBitsToUint(b);
  const uint divisor = bits_b & (kLeadingBit - 1) | kLeadingBit;
  uint rest = bits_a & (kLeadingBit - 1) | kLeadingBit;
  int exponent = int(bits_a >> kSignificandBits & 0xFF) - int(bits_b >> kSignificandBits & 0xFF) + int(kExponentBias);
  if (rest < divisor) {
    rest <<= 1;
    --exponent;
  }
  // One bit more than a float has: it says where to round to. A quotient halfway between two floats does not exist.
  uint digits = 0;
  for (uint i = 0; i < kSignificandBits + 2; ++i) {
    const bool fits = rest >= divisor;
    digits = digits << 1 | uint(fits);
    rest = rest - (fits ? divisor : 0) << 1;
  }
  // A carry goes on into the exponent.
  const uint size = (uint(exponent) << kSignificandBits) + ((digits + 1 >> 1) - kLeadingBit);
  return (bits_a & ~kSignBit) < kLeadingBit || exponent <= 0 ? 0 : uintBitsToFloat((bits_a ^ bits_b) & kSignBit | size);
}
