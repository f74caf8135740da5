// Sums of floats in a given order, by many at once. As long as a sum m * 2^e keeps its exponent, to add a
// term is to add a whole number to m: the term in units of 2^e, rounded, half to even, which depends on
// whether m is even. So what many terms do is two numbers, one for even and one for odd m, and can be joined
// from what parts of them do.

// The increase of an even and of an odd m; at most kTooMuch.
struct Step {
  uint even, odd;
};
const uint kTooMuch = 1u << 25, kLimit = 1u << 24;  // where the exponent ends
const Step kNoStep = Step(0, 0);

// Behind `first` comes `second`.
Step joined(Step first, Step second) {
  return Step(min(first.even + ((first.even & 1) == 0 ? second.even : second.odd), kTooMuch),
              min(first.odd + ((first.odd & 1) == 0 ? second.odd : second.even), kTooMuch));
}

// By what m, which may be even or odd, becomes larger with a term of `whole` units and `rest`.
uint rounded(uint m, uint whole, float rest) {
  return whole + uint(rest > 0.5 || (rest == 0.5 && (m + whole & 1) != 0));
}

// The step of a term of at least 0. `exponent` is that of the sum as in its bits.
Step step_of(float term, uint exponent) {
  // In units of the last place of such a sum; exact, if it is not so small that it is rounded to 0 anyway.
  const int up = 150 - int(exponent), up_half = up / 2;
  precise const float scaled =
      term * uintBitsToFloat(uint(127 + up_half) << 23) * uintBitsToFloat(uint(127 + up - up_half) << 23);
  if (!(scaled < float(kLimit))) return Step(kTooMuch, kTooMuch);
  const uint whole = uint(scaled);
  precise const float rest = scaled - float(whole);
  return Step(rounded(0, whole, rest), rounded(1, whole, rest));
}

const uint kNoExponent = 0;

// Whether the sum may take the step and then has the same exponent, or is the next power of 2.
bool may_take(float sum, Step by) {
  const uint m = floatBitsToUint(sum) & (1u << 23) - 1 | 1u << 23;
  return m + ((m & 1) == 0 ? by.even : by.odd) <= kLimit;
}
// Needs: may_take().
float after(float sum, Step by) {
  const uint bits = floatBitsToUint(sum);
  return uintBitsToFloat(bits + ((bits & 1) == 0 ? by.even : by.odd));
}
uint exponent_of(float sum) {
  return floatBitsToUint(sum) >> 23;
}
