// Sums of floats of at least 0 in a given order, each rounded as if one were added after the other, by many
// at once. Included behind kChunkBlocks, kBlockTerms and, for sums in double, SUM_IN_DOUBLE.
//
// As long as a sum keeps its exponent, what terms add to it depends on whether it is even, and on nothing
// else. So what terms do to all sums of an exponent is what they make of the smallest even and the smallest
// odd one, and can be joined from what parts of them do. If that leaves the exponent, sums are too large
// whatever follows.

#include "chunk_terms.glsl"

// Numbers are in buffers as words: translators know no doubles there.
#ifdef SUM_IN_DOUBLE
#define Number double
#define Words uvec2
Number number_of(Words words) {
  return packDouble2x32(words);
}
Words words_of(Number number) {
  return unpackDouble2x32(number);
}
Number smallest(uint exponent, uint odd) {
  return packDouble2x32(uvec2(odd, exponent << 20));
}
uint exponent_of(Number sum) {
  return words_of(sum).y >> 20;
}
bool is_odd(Number sum) {
  return (words_of(sum).x & 1) != 0;
}
#else
#define Number float
#define Words uint
Number number_of(Words words) {
  return uintBitsToFloat(words);
}
Words words_of(Number number) {
  return floatBitsToUint(number);
}
Number smallest(uint exponent, uint odd) {
  return uintBitsToFloat(exponent << 23 | odd);
}
uint exponent_of(Number sum) {
  return words_of(sum) >> 23;
}
bool is_odd(Number sum) {
  return (words_of(sum) & 1) != 0;
}
#endif

// The sums that the smallest ones of an exponent become.
struct Step {
  Number even, odd;
};

Step no_step(uint exponent) {
  return Step(smallest(exponent, 0), smallest(exponent, 1));
}
// Leaves the exponent.
Step refused_step(uint exponent) {
  return no_step(exponent + 1);
}

Step with_term(Step step, float term) {
  precise const Number even = step.even + Number(term), odd = step.odd + Number(term);
  return Step(even, odd);
}

// The sum, of that exponent or larger, after the step.
Number after(Number sum, Step step, uint exponent) {
  precise const Number by_even = step.even - smallest(exponent, 0), by_odd = step.odd - smallest(exponent, 1);
  precise const Number result = sum + (is_odd(sum) ? by_odd : by_even);
  return result;
}

// Behind `first` comes `second`.
Step joined(Step first, Step second, uint exponent) {
  return Step(after(first.even, second, exponent), after(first.odd, second, exponent));
}
