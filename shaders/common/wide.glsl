// Integers of 64 bits in two words, processed one or three at once. All wrap at 64 bits, as single words do
// at 32; signed ones are two's complement.
#ifndef COMMON_WIDE_GLSL
#define COMMON_WIDE_GLSL

struct Wide {
  uint low, high;
};
struct Wide3 {
  uvec3 low, high;
};

Wide wide_product(uint a, uint b) {
  Wide product;
  umulExtended(a, b, product.high, product.low);
  return product;
}
Wide3 wide_product(uvec3 a, uvec3 b) {
  Wide3 product;
  umulExtended(a, b, product.high, product.low);
  return product;
}

Wide wide_signed_product(int a, int b) {
  int high, low;
  imulExtended(a, b, high, low);
  return Wide(uint(low), uint(high));
}
Wide3 wide_signed_product(ivec3 a, ivec3 b) {
  ivec3 high, low;
  imulExtended(a, b, high, low);
  return Wide3(uvec3(low), uvec3(high));
}

Wide wide_sum(Wide a, Wide b) {
  uint carry;
  const uint low = uaddCarry(a.low, b.low, carry);
  return Wide(low, a.high + b.high + carry);
}
Wide3 wide_sum(Wide3 a, Wide3 b) {
  uvec3 carry;
  const uvec3 low = uaddCarry(a.low, b.low, carry);
  return Wide3(low, a.high + b.high + carry);
}
Wide wide_sum(Wide a, uint b) {
  return wide_sum(a, Wide(b, 0));
}
Wide3 wide_sum(Wide3 a, uvec3 b) {
  return wide_sum(a, Wide3(b, uvec3(0)));
}

Wide wide_difference(Wide a, Wide b) {
  uint borrow;
  const uint low = usubBorrow(a.low, b.low, borrow);
  return Wide(low, a.high - b.high - borrow);
}

// Shifts right. Needs: 1 <= shift <= 31. Masks keep a shift in range whose result a selection drops: drivers
// compute both sides of a selection, and take it that no shift is out of range.
Wide wide_shift(Wide a, uint shift) {
  return Wide(a.high << (32 - shift & 31) | a.low >> (shift & 31), a.high >> (shift & 31));
}
Wide3 wide_shift(Wide3 a, uvec3 shift) {
  return Wide3(a.high << (32 - shift & 31) | a.low >> (shift & 31), a.high >> (shift & 31));
}
Wide wide_signed_shift(Wide a, uint shift) {
  return Wide(a.high << (32 - shift & 31) | a.low >> (shift & 31), uint(int(a.high) >> (shift & 31)));
}
Wide3 wide_signed_shift(Wide3 a, uvec3 shift) {
  return Wide3(a.high << (32 - shift & 31) | a.low >> (shift & 31),
               uvec3(ivec3(a.high) >> ivec3(shift & 31)));
}

// Shifts with rounding, halves upwards.
Wide wide_rounded_shift(Wide a, uint shift) {
  return wide_shift(wide_sum(a, 1u << (shift - 1 & 31)), shift);
}
Wide3 wide_rounded_shift(Wide3 a, uvec3 shift) {
  return wide_shift(wide_sum(a, uvec3(1) << (shift - 1 & 31)), shift);
}
Wide wide_signed_rounded_shift(Wide a, uint shift) {
  return wide_signed_shift(wide_sum(a, 1u << (shift - 1 & 31)), shift);
}
Wide3 wide_signed_rounded_shift(Wide3 a, uvec3 shift) {
  return wide_signed_shift(wide_sum(a, uvec3(1) << (shift - 1 & 31)), shift);
}

// Shifts left. Needs: 0 <= shift <= 63.
Wide wide_left_shift(Wide a, uint shift) {
  if (shift >= 32) return Wide(0, a.low << (shift & 31));
  if (shift == 0) return a;
  return Wide(a.low << (shift & 31), a.high << (shift & 31) | a.low >> (32 - shift & 31));
}

// Bits up to the highest one, 0 for 0.
uint wide_bits(Wide a) {
  return uint(a.high != 0 ? findMSB(a.high) + 33 : findMSB(a.low) + 1);
}

#endif
