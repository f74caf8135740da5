// Exact sums of c-values in units of 2^-24, whatever the order. Included by shaders that declare `sums`, a
// buffer of kSumWords words for each scale.

// A c-value is 0, or m * 2^(e - 23) with a 24-bit m and e from -1 to 17: m << (e + 1) units.
uvec2 units_of(float value) {
  const uint bits = floatBitsToUint(value);
  if (bits == 0) return uvec2(0);
  const uint shift = (bits >> 23) - 126;
  const uint m = (bits & 0x7FFFFF) | 0x800000;
  return uvec2(m << shift, shift == 0 ? 0 : m >> (32 - shift & 31));
}

void add(inout uvec2 sum, uvec2 units) {
  uint carry;
  sum.x = uaddCarry(sum.x, units.x, carry);
  sum.y += units.y + carry;
}

// Adds to three words in memory. Each wrap of a word is seen by exactly one adder, which carries it on.
void add_to_sums(uint first, uint low, uint middle, uint high) {
  const uint before = atomicAdd(sums[first], low);
  if (before + low < before) {
    if (atomicAdd(sums[first + 1], 1) == 0xFFFFFFFF) ++high;
  }
  const uint between = atomicAdd(sums[first + 1], middle);
  if (between + middle < between) ++high;
  if (high != 0) atomicAdd(sums[first + 2], high);
}

shared uint group_sum[4];  // limbs of 20 bits, so that none wraps, and a count

// Before the barrier that precedes group_add.
void group_clear() {
  if (gl_LocalInvocationIndex < 4) group_sum[gl_LocalInvocationIndex] = 0;
}

// Range: sum below 2^52.
void group_add(uvec2 sum, uint count) {
  if ((sum.x | sum.y) != 0) {
    atomicAdd(group_sum[0], sum.x & 0xFFFFF);
    atomicAdd(group_sum[1], sum.x >> 20 | (sum.y & 0xFF) << 12);
    atomicAdd(group_sum[2], sum.y >> 8);
  }
  if (count != 0) atomicAdd(group_sum[3], count);
}

// After a barrier that follows group_add; by one invocation.
void group_add_to_sums(uint first) {
  if ((group_sum[0] | group_sum[1] | group_sum[2]) == 0) return;
  uvec2 sum = uvec2(group_sum[0], 0);
  add(sum, uvec2(group_sum[1] << 20, group_sum[1] >> 12));
  add(sum, uvec2(0, group_sum[2] << 8));
  add_to_sums(first, sum.x, sum.y, group_sum[2] >> 24);
}
