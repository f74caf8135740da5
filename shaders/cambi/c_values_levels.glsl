// Which levels matter in a tile. Included by c_values.comp, which declares the tile and the sets of levels.

bool holds(uint word, uint level) {
  return (word >> (level & 31) & 1) != 0;
}

void collect_levels(Tile tile) {
  const uint first_x = uint(max(int(tile.word) - int(kSide), 0));
  const uint end_x = min(tile.word + kTileWords + kSide, tile.scale.words);
  const uint first_y = uint(max(int(tile.row) - int(kReach), 0)) / kBlockRows;
  const uint end_y = min(tile.row + kTileRows + kReach - 1, tile.scale.height - 1) / kBlockRows + 1;
  const uint columns = end_x - first_x;
  const uint count = columns * (end_y - first_y) * kSetWords;
  for (uint i = gl_LocalInvocationIndex; i < count; i += kThreads) {
    const uint block = i / kSetWords, word = i % kSetWords;
    const uint x = first_x + block % columns, y = first_y + block / columns;
    const uint set = sets[(tile.scale.first_block + y * tile.scale.words + x) * kSetWords + word];
    if (set == 0) continue;
    if ((set & ~around[word + 1]) != 0) atomicOr(around[word + 1], set);
    const bool inside = x >= tile.word && x < tile.word + kTileWords && (y + 1) * kBlockRows > tile.row &&
                        y * kBlockRows < tile.row + kTileRows;
    if (inside && (set & ~own[word + 1]) != 0) atomicOr(own[word + 1], set);
  }
}

// Which of the word's 32 levels lie in first..last.
uint range_bits(uint word, int first, int last) {
  const int from = max(first - int(word) * 32, 0), to = min(last - int(word) * 32, 31);
  if (from > to) return 0;
  return (kNone >> (31 - (to - from))) << from;
}

// The set whose level v is the given one's v + d, and v - d. Range of d: 1..32. Sets have a word before the
// first.
uint above(uint low, uint high, uint d) {
  return d == 32 ? high : low >> (d & 31) | high << (32 - d & 31);
}
uint below(uint low, uint high, uint d) {
  return d == 32 ? low : high << (d & 31) | low >> (32 - d & 31);
}

// Levels of the tile, in one word of the set, that contrast d counts at and that have a neighbour.
uint bordering_at(uint word, uint d) {
  if (word >= kSetWords) return 0;
  const ContrastRule rule = contrasts[d - 1];
  const uint neighbours =
      above(around[word + 1], around[word + 2], d) | below(around[word], around[word + 1], d);
  return own[word + 1] & neighbours & range_bits(word, rule.first_level, rule.last_level);
}

void choose_levels_of(uint word) {
  uint all_bordering = 0, neighbours = 0;
  for (uint d = 1; d <= kContrasts; ++d) {
    const uint here = bordering_at(word, d);
    all_bordering |= here;
    neighbours |= above(here, bordering_at(word + 1, d), d);
    neighbours |= below(word == 0 ? 0 : bordering_at(word - 1, d), here, d);
  }
  bordering[word + 1] = all_bordering;
  const uint all_needed = all_bordering | (neighbours & around[word + 1]);
  needed[word + 1] = all_needed;
  if (all_needed == 0) return;
  atomicMin(first_needed, word);
  atomicMax(end_needed, word + 1);
}

// Work groups may have fewer invocations than there are words.
void choose_levels() {
  for (uint word = gl_LocalInvocationIndex; word < kSetWords; word += kThreads) choose_levels_of(word);
}
