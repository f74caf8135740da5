// Whether vectors of detail point less than a degree apart; see is_aligned() in feature/adm/adm.h. Needs:
// wide.glsl.

// The square of the cosine of one degree, of 24 bits after the point.
const uint kSquaredCosine = 16772106;

// A number rounded to float, halves to even: a mantissa of 24 bits, and an exponent.
struct Rounded {
  uint mantissa;
  int exponent;
};

// Needs: number is not 0.
Rounded rounded(Wide number) {
  const uint bits = wide_bits(number);
  const Wide aligned = wide_left_shift(number, 64 - bits);
  const uint kept = aligned.high >> 8, cut = aligned.high & 0xFF;
  const bool is_up = cut > 0x80 || (cut == 0x80 && (aligned.low != 0 || (kept & 1) == 1));
  const uint mantissa = is_up ? kept + 1 : kept;
  const int exponent = int(bits) - 24;
  return mantissa >> 24 == 0 ? Rounded(mantissa, exponent) : Rounded(mantissa / 2, exponent + 1);
}

Wide dot_product(ivec2 a, ivec2 b) {
  return wide_sum(wide_signed_product(a.x, b.x), wide_signed_product(a.y, b.y));
}

// The reference's p * p >= c * o * t in doubles, where only the last product is rounded: in integers that is
// c * o * t <= p * p + half the step of doubles at p * p. Needs: both sides differ by little, and p is
// positive.
bool is_exactly_aligned(ivec2 reference, ivec2 distorted) {
  const Rounded p = rounded(dot_product(reference, distorted));
  const Rounded o = rounded(dot_product(reference, reference)),
                t = rounded(dot_product(distorted, distorted));
  // A product of 72 bits.
  const Wide first = wide_product(kSquaredCosine, o.mantissa);
  const Wide low = wide_product(first.low, t.mantissa),
             high = wide_sum(wide_product(first.high, t.mantissa), low.high);
  // The square has 47 or 48 bits, and 7 more here, so that half a step of 53 bits is an integer.
  const Wide square = wide_product(p.mantissa, p.mantissa);
  const Wide limit = wide_sum(wide_left_shift(square, 7), square.high >> 15 == 0 ? 1u : 2u);
  const uint shift = uint(2 * p.exponent - o.exponent - t.exponent + 24 - 7);
  const uint limit_low = limit.low << shift, limit_middle = limit.high << shift | limit.low >> (32 - shift);
  const uint limit_high = limit.high >> (32 - shift);
  if (high.high != limit_high) return high.high < limit_high;
  if (high.low != limit_middle) return high.low < limit_middle;
  return low.low <= limit_low;
}

// Floats decide except for vectors very close to one degree: all their roundings together are less than 2^-18
// of the numbers.
bool is_aligned(ivec2 reference, ivec2 distorted) {
  const vec2 o = vec2(reference), t = vec2(distorted);
  const float oo = o.x * o.x + o.y * o.y, tt = t.x * t.x + t.y * t.y, p = o.x * t.x + o.y * t.y;
  if (oo == 0 || tt == 0) return true;
  const float square = p * p, limit = float(kSquaredCosine) / 16777216.0 * oo * tt;
  if (p <= 0 || square < limit * (1 - 1.0 / 131072)) return false;
  return square > limit * (1 + 1.0 / 131072) || is_exactly_aligned(reference, distorted);
}
