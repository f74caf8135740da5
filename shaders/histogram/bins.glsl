// Counting by work groups, for kChannels channels, in bins that the work group shares: a vector of one bin,
// as flat pictures have, is one addition. There are some copies of the bins, so that invocations with the
// same bin seldom wait for each other. Needs: shared.h, kChannels, kIsInRange (no value is beyond the last
// bin), the push constants as p, and the counts in memory as counts[].

layout(constant_id = 1) const uint kBins = 256;
layout(constant_id = 2) const uint kBinShift = 0;
layout(constant_id = 3) const uint kCopies = 1;
layout(constant_id = 4) const uint kWords = kMostWords;
layout(constant_id = 5) const uint kRowsEach = kRows;
layout(constant_id = 8) const bool kPairs = false;

// Otherwise each value has its own bin.
const bool kFindsBounds = kBinShift != 0 || !kIsInRange;

const uint kGroupSize = kGroupX * kGroupY;

// The copies of a word lie side by side, in banks of their own.
shared uint group_bins[kWords];
// The bounds of each channel, as in memory.
const uint kBounds = kChannels * kBoundWords;
shared uint group_bounds[kBounds * kBoundCopies];

// This invocation's state of each channel: the bins of a vector, and the smallest and largest of all values.
uint held[kChannels][kVector], smallest[kChannels], largest[kChannels];

void start_counting() {
  for (uint i = gl_LocalInvocationIndex; i < kWords; i += kGroupSize) group_bins[i] = 0;
  for (uint i = gl_LocalInvocationIndex; i < kBounds * kBoundCopies && kFindsBounds; i += kGroupSize)
    group_bounds[i] = 0;
  [[unroll]] for (uint c = 0; c < kChannels; ++c) {
    largest[c] = 0;
    smallest[c] = kTopWord;
  }
  barrier();
}

uint first_count_of(uint channel) {
  return p.first_count + channel * (kBins + kBoundWords);
}

void add(uint channel, uint bin, uint number) {
  if (kCopies == 0) {
    atomicAdd(counts[first_count_of(channel) + bin], number);
  } else {
    const uint word = (channel * kBins + bin) / (kPairs ? 2 : 1);
    atomicAdd(group_bins[word * kCopies + gl_LocalInvocationIndex % kCopies],
              kPairs ? number << 16 * (bin & 1) : number);
  }
}

// The value of a sample of the vector, which is counted with the others of the vector.
void count(uint place, uint channel, uint value) {
  if (kFindsBounds) {
    smallest[channel] = min(smallest[channel], value);
    largest[channel] = max(largest[channel], value);
  }
  held[channel][place] = kFindsBounds ? min(value >> kBinShift, kBins - 1) : value;
}

// The first samples of the vector, which is all of them but at the right edge.
void count_vector(uint number) {
  [[unroll]] for (uint c = 0; c < kChannels; ++c) {
    bool is_one_bin = number == kVector;
    [[unroll]] for (uint k = 1; k < kVector; ++k) is_one_bin = is_one_bin && held[c][k] == held[c][0];
    if (is_one_bin) {
      add(c, held[c][0], kVector);
    } else {
      [[unroll]] for (uint k = 0; k < kVector; ++k) {
        if (k < number) add(c, held[c][k], 1);
      }
    }
  }
}

// Then what the work group has counted is there for all its invocations.
void finish_counting() {
  const uint copy = gl_LocalInvocationIndex % kBoundCopies;
  [[unroll]] for (uint c = 0; c < kChannels; ++c) {
    if (!kFindsBounds) continue;
    atomicMax(group_bounds[c * kBoundWords * kBoundCopies + copy], largest[c]);
    atomicMax(group_bounds[(c * kBoundWords + 1) * kBoundCopies + copy], kTopWord - smallest[c]);
  }
  barrier();
}

// Sum over all copies. The work group has fewer than 2^16 samples, so the lower of two bins does not overflow
// into the upper.
uint group_count(uint bin) {
  const uint word = kPairs ? bin / 2 : bin;
  uint sum = 0;
  for (uint copy = 0; copy < kCopies; ++copy) sum += group_bins[word * kCopies + copy];
  return kPairs ? sum >> 16 * (bin & 1) & 0xFFFF : sum;
}

uint group_bound(uint bound) {
  uint most = 0;
  for (uint copy = 0; copy < kBoundCopies; ++copy)
    most = max(most, group_bounds[bound * kBoundCopies + copy]);
  return most;
}

// Adds what the work group has counted to the counts in memory.
void add_to_counts() {
  const uint bins = kCopies == 0 ? 0 : kChannels * kBins;
  for (uint bin = gl_LocalInvocationIndex; bin < bins; bin += kGroupSize) {
    const uint number = group_count(bin);
    if (number != 0) atomicAdd(counts[first_count_of(bin / kBins) + bin % kBins], number);
  }
  if (kFindsBounds && gl_LocalInvocationIndex < kBounds) {
    const uint channel = gl_LocalInvocationIndex / kBoundWords, bound = gl_LocalInvocationIndex % kBoundWords;
    atomicMax(counts[first_count_of(channel) + kBins + bound], group_bound(gl_LocalInvocationIndex));
  }
}
