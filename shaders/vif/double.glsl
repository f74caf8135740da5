// What IEEE doubles would be, in integers: products and quotients rounded to 53 bits, to nearest, ties to even. For the few
// samples where bounds decide nothing; speed does not matter.

// mantissa * 2^exponent, with the highest of 53 bits set: x the lower 32, y the upper 21.
struct Double {
  uvec2 mantissa;
  int exponent;
};

bool is_less(uvec2 a, uvec2 b) {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}

uvec2 sum_of(uvec2 a, uvec2 b) {
  uint carry;
  const uint low = uaddCarry(a.x, b.x, carry);
  return uvec2(low, a.y + b.y + carry);
}

uvec2 difference_of(uvec2 a, uvec2 b) {
  uint borrow;
  const uint low = usubBorrow(a.x, b.x, borrow);
  return uvec2(low, a.y - b.y - borrow);
}

// Range: by < 64.
uvec2 shifted_left(uvec2 a, uint by) {
  if (by == 0) return a;
  return by < 32 ? uvec2(a.x << by, a.y << by | a.x >> (32 - by)) : uvec2(0, a.x << (by - 32));
}
uvec2 shifted_right(uvec2 a, uint by) {
  if (by == 0) return a;
  return by < 32 ? uvec2(a.x >> by | a.y << (32 - by), a.y >> by) : uvec2(a.y >> (by - 32), 0);
}

// Word `i` of a number of four words, the lowest first; 0 behind the last.
uint word_of(uvec4 number, uint i) {
  return i == 0 ? number.x : i == 1 ? number.y : i == 2 ? number.z : i == 3 ? number.w : 0;
}

// The 64 bits from a place on.
uvec2 bits_from(uvec4 number, uint place) {
  const uint word = place / 32, by = place % 32;
  const uint low = word_of(number, word), middle = word_of(number, word + 1), high = word_of(number, word + 2);
  return by == 0 ? uvec2(low, middle) : uvec2(low >> by | middle << (32 - by), middle >> by | high << (32 - by));
}

// Whether one of the lowest `count` bits is set.
bool has_bits_below(uvec4 number, uint count) {
  uint found = 0;
  for (uint i = 0; i < 4; ++i) {
    const uint here = clamp(int(count) - int(32 * i), 0, 32);
    found |= here == 32 ? word_of(number, i) : word_of(number, i) & ((1u << here) - 1);
  }
  return found != 0;
}

// number * 2^exponent, rounded. Needs: a number of 53 bits or more.
Double rounded(uvec4 number, int exponent) {
  const uint top = number.w != 0 ? 96 + findMSB(number.w) : number.z != 0 ? 64 + findMSB(number.z) : 32 + findMSB(number.y);
  const uint dropped = top - 52;
  Double result = Double(bits_from(number, dropped), exponent + int(dropped));
  result.mantissa.y &= 0x1FFFFF;
  if (dropped == 0) return result;
  const bool half_or_more = (bits_from(number, dropped - 1).x & 1) != 0;
  if (half_or_more && ((result.mantissa.x & 1) != 0 || has_bits_below(number, dropped - 1))) {
    result.mantissa = sum_of(result.mantissa, uvec2(1, 0));
  }
  if (result.mantissa.y == 0x200000) result = Double(uvec2(0, 0x100000), result.exponent + 1);
  return result;
}

// a * b of two words each, in four.
uvec4 product_of(uvec2 a, uvec2 b) {
  uvec2 low, high, inner, outer;
  umulExtended(a.x, b.x, low.y, low.x);
  umulExtended(a.y, b.y, high.y, high.x);
  umulExtended(a.x, b.y, inner.y, inner.x);
  umulExtended(a.y, b.x, outer.y, outer.x);
  uint carry;
  uvec4 result = uvec4(low, high);
  result.y = uaddCarry(result.y, inner.x, carry);
  result.zw = sum_of(sum_of(result.zw, uvec2(inner.y, 0)), uvec2(carry, 0));
  result.y = uaddCarry(result.y, outer.x, carry);
  result.zw = sum_of(sum_of(result.zw, uvec2(outer.y, 0)), uvec2(carry, 0));
  return result;
}

Double product_of(Double a, Double b) {
  return rounded(product_of(a.mantissa, b.mantissa), a.exponent + b.exponent);
}

Double double_of(uint number) {
  const int missing = 52 - findMSB(number);
  return Double(shifted_left(uvec2(number, 0), uint(missing)), -missing);
}

// Bit after bit of the quotient of the mantissas, scaled to lie in 1..2.
Double quotient_of(Double a, Double b) {
  uvec2 rest = a.mantissa;
  int exponent = a.exponent - b.exponent - 52;
  if (is_less(rest, b.mantissa)) {
    rest = shifted_left(rest, 1);
    --exponent;
  }
  uvec2 quotient = uvec2(0);
  for (uint i = 0; i < 53; ++i) {
    quotient = shifted_left(quotient, 1);
    if (!is_less(rest, b.mantissa)) {
      rest = difference_of(rest, b.mantissa);
      quotient.x |= 1;
    }
    rest = shifted_left(rest, 1);
  }
  // The rest is twice what is left of the last bit: `rest == mantissa` is a tie.
  const bool is_tie = rest == b.mantissa;
  if (is_tie ? (quotient.x & 1) != 0 : is_less(b.mantissa, rest)) quotient = sum_of(quotient, uvec2(1, 0));
  if (quotient.y == 0x200000) return Double(uvec2(0, 0x100000), exponent + 1);
  return Double(quotient, exponent);
}

// Needs: numbers above 0.
Double smaller_of(Double a, Double b) {
  if (a.exponent != b.exponent) return a.exponent < b.exponent ? a : b;
  return is_less(a.mantissa, b.mantissa) ? a : b;
}

// What is before the point. Needs: a number below 2^32.
uint whole_part(Double a) {
  return a.exponent <= -53 ? 0 : shifted_right(a.mantissa, uint(-a.exponent)).x;
}
