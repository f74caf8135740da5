// Finds the digit of the topk_count-th largest value in a histogram. Included by the shaders of pooling,
// which declare `histograms` and have kPoolGroup invocations.

const uint kBinsEach = kBins / kPoolGroup;

shared uint scan[kPoolGroup];
shared uvec2 found;

uint histogram_at(uint scale, uint digit) {
  return (scale * kPoolDigits + digit) * kBins;
}

// Returns the bin that holds the rank-th largest value and how many values lie in higher bins. Range of rank:
// 1 up to the number of values in the histogram. Uniform.
uvec2 find_bin(uint histogram, uint rank) {
  const uint lane = gl_LocalInvocationIndex;
  uint counts[kBinsEach];
  uint total = 0;
  for (uint i = 0; i < kBinsEach; ++i) {
    counts[i] = histograms[histogram + kBins - 1 - (lane * kBinsEach + i)];
    total += counts[i];
  }
  barrier();
  scan[lane] = total;
  for (uint step = 1; step < kPoolGroup; step *= 2) {
    barrier();
    const uint before = lane >= step ? scan[lane - step] : 0;
    barrier();
    scan[lane] += before;
  }
  uint above = scan[lane] - total;
  if (above < rank && rank <= scan[lane]) {
    uint i = 0;
    for (; above + counts[i] < rank; ++i) above += counts[i];
    found = uvec2(kBins - 1 - (lane * kBinsEach + i), above);
  }
  barrier();
  return found;
}

// Facts about the topk_count-th largest value: its key's digits so far, and its rank among the values that
// share these.
struct Selected {
  uint prefix;
  uint rank;
};

// Uniform; the histograms of all digits before `digits` are complete.
Selected find_digits(uint scale, uint digits, uint topk_count) {
  Selected selected = Selected(0, topk_count);
  for (uint i = 0; i < digits; ++i) {
    const uvec2 bin = find_bin(histogram_at(scale, i), selected.rank);
    selected.prefix = selected.prefix << kDigitBits | bin.x;
    selected.rank -= bin.y;
  }
  return selected;
}
