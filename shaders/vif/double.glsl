// IEEE doubles in integers: products and quotients rounded to 53 bits, to nearest, ties to even. For the few
// samples where bounds decide nothing; speed does not matter.

#include "../common/wide.glsl"

// mantissa * 2^exponent, with the highest of 53 bits set.
struct Double {
  Wide mantissa;
  int exponent;
};
const Wide kHighest = Wide(0, 1u << 20);
const uint kBitsOfHigh = (1u << 21) - 1;

bool is_less(Wide a, Wide b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}

// Range: by < 64.
Wide shifted_right(Wide a, uint by) {
  if (by >= 32) return Wide(a.high >> (by & 31), 0);
  return by == 0 ? a : wide_shift(a, by);
}

// Word `i` of a number of four words, the lowest first; 0 behind the last.
uint word_of(uvec4 number, uint i) {
  return i == 0 ? number.x : i == 1 ? number.y : i == 2 ? number.z : i == 3 ? number.w : 0;
}

// The 64 bits from a place on.
Wide bits_from(uvec4 number, uint place) {
  const uint word = place / 32, by = place % 32;
  const uint low = word_of(number, word), middle = word_of(number, word + 1),
             high = word_of(number, word + 2);
  return by == 0 ? Wide(low, middle)
                 : Wide(low >> by | middle << (32 - by & 31), middle >> by | high << (32 - by & 31));
}

// Whether one of the lowest `count` bits is set.
bool has_bits_below(uvec4 number, uint count) {
  uint found = 0;
  for (uint i = 0; i < 4; ++i) {
    const uint here = clamp(int(count) - int(32 * i), 0, 32);
    found |= here == 32 ? word_of(number, i) : word_of(number, i) & ((1u << (here & 31)) - 1);
  }
  return found != 0;
}

// number * 2^exponent, rounded. Needs: a number of 53 bits or more.
Double rounded(uvec4 number, int exponent) {
  const uint top = number.w != 0   ? 96 + findMSB(number.w)
                   : number.z != 0 ? 64 + findMSB(number.z)
                                   : 32 + findMSB(number.y);
  const uint dropped = top - 52;
  Double result = Double(bits_from(number, dropped), exponent + int(dropped));
  result.mantissa.high &= kBitsOfHigh;
  if (dropped == 0) return result;
  const bool half_or_more = (bits_from(number, dropped - 1).low & 1) != 0;
  if (half_or_more && ((result.mantissa.low & 1) != 0 || has_bits_below(number, dropped - 1))) {
    result.mantissa = wide_sum(result.mantissa, 1);
  }
  return result.mantissa.high > kBitsOfHigh ? Double(kHighest, result.exponent + 1) : result;
}

// a * b in four words.
uvec4 product_of(Wide a, Wide b) {
  const Wide low = wide_product(a.low, b.low), high = wide_product(a.high, b.high);
  const Wide inner = wide_product(a.low, b.high), outer = wide_product(a.high, b.low);
  const Wide second = wide_sum(wide_sum(Wide(low.high, 0), inner.low), outer.low);
  const Wide upper = wide_sum(wide_sum(wide_sum(high, inner.high), outer.high), second.high);
  return uvec4(low.low, second.low, upper.low, upper.high);
}

Double product_of(Double a, Double b) {
  return rounded(product_of(a.mantissa, b.mantissa), a.exponent + b.exponent);
}

Double double_of(uint number) {
  const int missing = 52 - findMSB(number);
  return Double(wide_left_shift(Wide(number, 0), uint(missing)), -missing);
}

// Bit after bit of the quotient of the mantissas, scaled to lie in 1..2.
Double quotient_of(Double a, Double b) {
  Wide rest = a.mantissa;
  int exponent = a.exponent - b.exponent - 52;
  if (is_less(rest, b.mantissa)) {
    rest = wide_left_shift(rest, 1);
    --exponent;
  }
  Wide quotient = Wide(0, 0);
  for (uint i = 0; i < 53; ++i) {
    quotient = wide_left_shift(quotient, 1);
    if (!is_less(rest, b.mantissa)) {
      rest = wide_difference(rest, b.mantissa);
      quotient.low |= 1;
    }
    rest = wide_left_shift(rest, 1);
  }
  // The rest is twice what is left of the last bit: `rest == mantissa` is a tie.
  const bool is_tie = rest == b.mantissa;
  if (is_tie ? (quotient.low & 1) != 0 : is_less(b.mantissa, rest)) quotient = wide_sum(quotient, 1);
  return quotient.high > kBitsOfHigh ? Double(kHighest, exponent + 1) : Double(quotient, exponent);
}

// Needs: numbers above 0.
Double smaller_of(Double a, Double b) {
  if (a.exponent != b.exponent) return a.exponent < b.exponent ? a : b;
  return is_less(a.mantissa, b.mantissa) ? a : b;
}

// The integer part. Needs: a number below 2^32.
uint whole_part(Double a) {
  return a.exponent <= -53 ? 0 : shifted_right(a.mantissa, uint(-a.exponent)).low;
}
