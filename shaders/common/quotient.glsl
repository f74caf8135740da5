// Division of floats that is rounded correctly, which that of Vulkan need not be: of whole numbers, the
// significands.
#ifndef COMMON_QUOTIENT_GLSL
#define COMMON_QUOTIENT_GLSL

#include "wide.glsl"

const uint kSignificandBits = 23;  // that a float keeps
const uint kLeadingBit = 1 << kSignificandBits, kSignBit = 1u << 31, kExponentBias = 127;

// Whether the product is at most 2^24 times the other.
bool is_at_most(Wide product, uint number) {
  const uint high = number >> 8, low = number << 24;
  return product.high < high || (product.high == high && product.low <= low);
}

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
  // between two floats does not exist. What the device takes for it is off by a few units.
  precise const float estimate = float(dividend) / float(divisor) * float(2 * kLeadingBit);
  uint digits = uint(estimate);
  while (!is_at_most(wide_product(digits, divisor), dividend)) --digits;
  while (is_at_most(wide_product(digits + 1, divisor), dividend)) ++digits;
  // A carry goes on into the exponent.
  const uint size = (uint(exponent) << kSignificandBits) + ((digits + 1 >> 1) - kLeadingBit);
  return (bits_a & ~kSignBit) < kLeadingBit || exponent <= 0
             ? 0
             : uintBitsToFloat((bits_a ^ bits_b) & kSignBit | size);
}

#endif
