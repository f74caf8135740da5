// How many samples of a level the windows of a tile hold, from one bit for each sample. Included by
// c_values.comp, which declares the tile's measures and the memory that a work group shares.

// 32 bits of the string from bit `at` on.
uint bits_from(uint matches[kSpan], uint at) {
  const uint word = at / 32, shift = at % 32;
  if (shift == 0) return matches[word];
  const uint next = word + 1 < kSpan ? matches[min(word + 1, kSpan - 1)] : 0;
  return matches[word] >> shift | next << (32 - shift & 31);
}

uint first_window_count(uint matches[kSpan]) {
  const uint first = 32 * kSide - kReach, last = first + 2 * kReach;
  const uint last_mask = kNone >> (31 - last % 32);
  if (last < 32) return bitCount((matches[0] & last_mask) >> first);
  uint count = bitCount(matches[0] >> first) + bitCount(matches[last / 32] & last_mask);
  [[unroll]] for (uint i = 1; i < last / 32; ++i) count += bitCount(matches[i]);
  return count;
}

// The lowest four bits as bytes.
uint spread(uint bits) {
  return (bits & 15) * 0x00204081 & 0x01010101;
}

// Slides the window along a row, four samples per step: entering and leaving samples as differences in bytes.
void count_row(uint at, uint matches[kSpan]) {
  uint any = 0;
  [[unroll]] for (uint i = 0; i < kSpan; ++i) any |= matches[i];
  if (any == 0) {
    [[unroll]] for (uint i = 0; i < 8; ++i) row_counts[at + i * kTaskStride] = 0;
    return;
  }
  const uint leaving = bits_from(matches, 32 * kSide - kReach);
  const uint entering = bits_from(matches, 32 * kSide + kReach + 1);
  uint count = first_window_count(matches);
  [[unroll]] for (uint i = 0; i < 8; ++i) {
    const uint change = spread(entering >> (4 * i)) - spread(leaving >> (4 * i));
    const uint counts = count * 0x01010101 + change * 0x01010100;
    row_counts[at + i * kTaskStride] = counts;
    count = (counts >> 24) + (entering >> (4 * i + 3) & 1) - (leaving >> (4 * i + 3) & 1);
  }
}

uint row_count(uint base, uint quad, uint row) {
  return row_counts[base + quad % 8 * kTaskStride + row * kTileWords + quad / 8];
}

void add_blocks(uint base) {
  for (uint i = gl_LocalInvocationIndex; i < kBlocks * kQuads; i += kThreads) {
    const uint quad = i % kQuads, first = i / kQuads * kRowsEach;
    uvec2 sum = uvec2(0);
    [[unroll]] for (uint k = 0; k < kRowsEach; ++k) {
      const uint counts = row_count(base, quad, first + k);
      sum += uvec2(counts & kHalves, counts >> 8 & kHalves);
    }
    block_sums[i] = sum;
  }
}

// The windows' counts of an invocation's samples, two to a word: columns 0 and 2 of each row, then 1 and 3.
void add_columns(uint base, out uint counts[kPairs]) {
  const uint quad = gl_LocalInvocationIndex % kQuads, segment = gl_LocalInvocationIndex / kQuads;
  uvec2 sum = uvec2(0);
  for (uint i = 0; i < kFullBlocks; ++i) sum += block_sums[(segment + i) * kQuads + quad];
  const uint first = segment * kRowsEach;
  [[unroll]] for (uint i = kFullBlocks * kRowsEach; i < kWindow; ++i) {
    const uint more = row_count(base, quad, first + i);
    sum += uvec2(more & kHalves, more >> 8 & kHalves);
  }
  [[unroll]] for (uint i = 0; i < kRowsEach; ++i) {
    if (i > 0) {
      const uint entering = row_count(base, quad, first + i - 1 + kWindow);
      const uint leaving = row_count(base, quad, first + i - 1);
      sum += uvec2(entering & kHalves, entering >> 8 & kHalves);
      sum -= uvec2(leaving & kHalves, leaving >> 8 & kHalves);
    }
    counts[2 * i] = sum.x;
    counts[2 * i + 1] = sum.y;
  }
}
