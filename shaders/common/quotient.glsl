// Division of floats that is rounded correctly, which that of Vulkan need not be: of whole numbers, the
// significands.
#ifndef COMMON_QUOTIENT_GLSL
#define COMMON_QUOTIENT_GLSL

const uint kSignificandBits = 23;  // that a float keeps
const uint kLeadingBit = 1 << kSignificandBits, kSignBit = 1u << 31, kExponentBias = 127;

// Needs: b is neither 0 nor subnormal; neither of them, nor the quotient, is infinite. Subnormal numbers
// count as 0.
float quotient(float a, float b) {
  const uint bits_a = floatBitsToUint(a), bits_b = floatBitsToUint(b);
  const uint divisor = bits_b & (kLeadingBit - 1) | kLeadingBit;
  uint dividend = bits_a & (kLeadingBit - 1) | kLeadingBit;
  int exponent =
      int(bits_a >> kSignificandBits & 0xFF) - int(bits_b >> kSignificandBits & 0xFF) + int(kExponentBias);
  if (dividend < divisor) {
    dividend <<= 1;
    --exponent;
  }
  // 2^24 dividend / divisor has one bit more than a float: it says where to round to. A quotient halfway
  // between two floats does not exist.
  precise const float estimate = float(dividend) / float(divisor) * float(2 * kLeadingBit);
  uint digits = uint(estimate);
  // The device's estimate is off by a few units, so 32 bits hold what it leaves; 2^7 units would be too many.
  int rest = int((dividend << 24) - digits * divisor);
  for (; rest < 0; rest += int(divisor)) --digits;
  for (; rest >= int(divisor); rest -= int(divisor)) ++digits;
  // A carry goes on into the exponent.
  const uint size = (uint(exponent) << kSignificandBits) + ((digits + 1 >> 1) - kLeadingBit);
  return (bits_a & ~kSignBit) < kLeadingBit || exponent <= 0
             ? 0
             : uintBitsToFloat((bits_a ^ bits_b) & kSignBit | size);
}

#endif
