// The derivative: which samples equal both their right and their lower neighbour, a neighbour outside the
// picture counting as equal. Included by the stage that uses it, which declares image_quads, image_words and
// p.

// One bit for each of the kVector samples from x on in row y, the leftmost lowest; 0 outside the picture.
// Needs: x a multiple of kVector.
uint flat_bits(int x, int y) {
  if (x < 0 || y < 0 || x >= int(p.width) || y >= int(p.height)) return 0;
  const uint quad = uint(y) * (p.in_stride / 16) + uint(x) / kVector;
  const uvec4 row = image_quads[quad];
  const uint after = image_words[4 * quad + 4] & 0xFFFF;
  const uvec4 below = y + 1 < int(p.height) ? image_quads[quad + p.in_stride / 16] : row;
  // The samples one to the right, and what differs from them and from those below.
  const uvec4 right = (row >> 16) | uvec4(row.yzw << 16, after << 16);
  const uvec4 beside = row ^ right, under = row ^ below;

  const uint count = min(p.width - uint(x), kVector);
  uint flat_samples = 0;
  [[unroll]] for (uint i = 0; i < kVector; ++i) {
    const uint half_word = (i & 1) == 0 ? 0xFFFF : 0xFFFF0000;
    const bool last = uint(x) + i + 1 == p.width;
    const bool like_right = last || (beside[i / 2] & half_word) == 0;
    if (like_right && (under[i / 2] & half_word) == 0) flat_samples |= 1 << i;
  }
  return flat_samples & ((1 << count) - 1);
}
