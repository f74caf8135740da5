// Amounts of samples, counted and summed up as shared.h says. Needs: the counts as counts[], kGroupWords, of
// which kAmountWords are used here, and a work group of kAmountsX x kAmountsY.

const uint kAmountUnit = 1024;
const float kMostAmount = 16777215;

shared uint group_words[kGroupWords];

// The latest amounts of this invocation are in one bin, so that flat pictures seldom wait for memory.
uint held_bin = 0, held = 0;
uint low_sum = 0, high_sum = 0, most = 0, above_unit = 0;

void start_amounts() {
  if (gl_LocalInvocationIndex < kGroupWords) group_words[gl_LocalInvocationIndex] = 0;
  barrier();
}

// An amount, halves up. Needs: value * factor is not negative.
void add_amount(float value, float factor) {
  precise const float rounded = value * factor + 0.5;
  const uint amount = uint(min(rounded, kMostAmount));
  const uint shift = uint(max(findMSB(amount | 1) - 8, 0));
  const uint bin = shift * kBinsOfOctave + (amount >> shift);
  if (bin != held_bin) {
    if (held != 0) atomicAdd(counts[held_bin], held);
    held_bin = bin;
    held = 0;
  }
  ++held;
  low_sum += amount & 0xFFFF;
  high_sum += amount >> 16;
  most = max(most, amount);
  above_unit += uint(amount > kAmountUnit);
}

void add_word(uint word, uint number) {
  atomicAdd(group_words[word], number);
}

void finish_amounts() {
  if (held != 0) atomicAdd(counts[held_bin], held);
  add_word(0, low_sum);
  add_word(1, high_sum);
  atomicMax(group_words[2], most);
  add_word(3, above_unit);
  barrier();
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (gl_LocalInvocationIndex < kGroupWords)
    counts[kAmountBins + group * kGroupWords + gl_LocalInvocationIndex] =
        group_words[gl_LocalInvocationIndex];
}
