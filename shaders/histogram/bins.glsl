// Counting by work groups, for kChannels channels: neighbours of one bin are counted at once, in bins that the work group
// shares, in as many copies as fit, so that invocations with the same bin seldom wait for each other. Needs: shared.h,
// kChannels, kIsInRange (no value is beyond the last bin), the push constants as p, and the counts in memory as counts[].

layout(constant_id = 1) const uint kBins = 256;
layout(constant_id = 2) const uint kBinShift = 0;
layout(constant_id = 3) const uint kCopies = 1;
layout(constant_id = 4) const uint kWords = kMostWords;
layout(constant_id = 5) const uint kRowsEach = kRows;

// Otherwise each value has its own bin.
const bool kFindsBounds = kBinShift != 0 || !kIsInRange;

const uint kGroupSize = kGroupX * kGroupY;

// The copies of a word lie side by side, in banks of their own.
shared uint group_bins[kWords];
// The bounds of each channel, as in memory.
const uint kBounds = kChannels * kBoundWords;
shared uint group_bounds[kBounds * kBoundCopies];

// Of this invocation and each channel: the bin of its last samples, how many these were, and between what values all are.
uint run_bin[kChannels], run_length[kChannels], smallest[kChannels], largest[kChannels];

void start_counting() {
  for (uint i = gl_LocalInvocationIndex; i < kWords; i += kGroupSize) group_bins[i] = 0;
  for (uint i = gl_LocalInvocationIndex; i < kBounds * kBoundCopies && kFindsBounds; i += kGroupSize) group_bounds[i] = 0;
  [[unroll]] for (uint c = 0; c < kChannels; ++c) {
    run_bin[c] = run_length[c] = largest[c] = 0;
    smallest[c] = kTopWord;
  }
  barrier();
}

uint first_count_of(uint channel) {
  return p.first_count + channel * (kBins + kBoundWords);
}

void count_run(uint channel) {
  const uint bin = run_bin[channel], length = run_length[channel];
  if (kCopies == 0) {
    atomicAdd(counts[first_count_of(channel) + bin], length);
  } else {
    const uint word = (channel * kBins + bin) / 2;
    atomicAdd(group_bins[word * kCopies + gl_LocalInvocationIndex % kCopies], length << 16 * (bin & 1));
  }
}

void count(uint channel, uint value) {
  if (kFindsBounds) {
    smallest[channel] = min(smallest[channel], value);
    largest[channel] = max(largest[channel], value);
  }
  const uint bin = kFindsBounds ? min(value >> kBinShift, kBins - 1) : value;
  if (bin != run_bin[channel]) {
    count_run(channel);
    run_bin[channel] = bin;
    run_length[channel] = 0;
  }
  ++run_length[channel];
}

// Then what the work group has counted is there for all its invocations.
void finish_counting() {
  const uint copy = gl_LocalInvocationIndex % kBoundCopies;
  [[unroll]] for (uint c = 0; c < kChannels; ++c) {
    count_run(c);
    if (!kFindsBounds) continue;
    atomicMax(group_bounds[c * kBoundWords * kBoundCopies + copy], largest[c]);
    atomicMax(group_bounds[(c * kBoundWords + 1) * kBoundCopies + copy], kTopWord - smallest[c]);
  }
  barrier();
}

// Two neighbouring bins. The work group has fewer than 2^16 samples, so the lower one does not reach the upper.
uint group_word(uint word) {
  uint sum = 0;
  for (uint copy = 0; copy < kCopies; ++copy) sum += group_bins[word * kCopies + copy];
  return sum;
}

uint group_bound(uint bound) {
  uint most = 0;
  for (uint copy = 0; copy < kBoundCopies; ++copy) most = max(most, group_bounds[bound * kBoundCopies + copy]);
  return most;
}

// Adds what the work group has counted to the counts in memory.
void add_to_counts() {
  const uint words = kCopies == 0 ? 0 : kChannels * kBins / 2;
  for (uint word = gl_LocalInvocationIndex; word < words; word += kGroupSize) {
    const uint both = group_word(word), channel = 2 * word / kBins;
    const uint at = first_count_of(channel) + 2 * word % kBins;
    if ((both & 0xFFFF) != 0) atomicAdd(counts[at], both & 0xFFFF);
    if (both >> 16 != 0) atomicAdd(counts[at + 1], both >> 16);
  }
  if (kFindsBounds && gl_LocalInvocationIndex < kBounds) {
    const uint channel = gl_LocalInvocationIndex / kBoundWords, bound = gl_LocalInvocationIndex % kBoundWords;
    atomicMax(counts[first_count_of(channel) + kBins + bound], group_bound(gl_LocalInvocationIndex));
  }
}
