#include "feature/cambi/stages.h"

namespace vq::cambi {

static int reached_columns(int width) { return std::min(width, kMaxReach); }

// Two bits for each column: see Scratch::level_bits.
static int level_words(int width) { return 2 * ((reached_columns(width) + 63) / 64); }

static int strip_columns(int width) { return std::min(width, kStripColumns); }

// A run's trapezoid is a window longer than the run, and is read from the run's length before its origin on.
constexpr int kEdgeColumns = 2 * kEdgeOrigin + kMaxWindow;

static int level_count(int num_contrasts) { return kMaxLevel + 1 + 2 * num_contrasts; }

// With room for the vector that begins in the last column of the last row.
static size_t window_cells(int width, int num_contrasts) {
  return static_cast<size_t>(window_counts_stride(strip_columns(width))) *
         static_cast<size_t>(level_count(num_contrasts) + 1);
}

std::vector<Strip> strips_of(int width) {
  constexpr int kStep = 64;  // so that all but the last strip are whole vectors
  const int count = (width + kStripColumns - 1) / kStripColumns;
  const int each = ((width + count - 1) / count + kStep - 1) / kStep * kStep;
  std::vector<Strip> strips;
  for (int x = 0; x < width; x += each) strips.push_back({x, std::min(each, width - x)});
  return strips;
}

ptrdiff_t window_counts_stride(int width) {
  // Room for two vectors behind the last column, and rows of neighbouring levels that do not compete for the
  // same cache lines: an odd number of lines apart.
  constexpr int kLine = static_cast<int>(kRowGuardBytes / sizeof(uint16_t));
  return (((width + kLine - 1) / kLine + 1) | 1) * kLine;
}

Scratch::Scratch(int width, int num_contrasts)
    : rows(width, 3),
      flat_rows(width, kMaskBox + 1),
      column_sums(width, 1),
      window_counts(aligned_memory<uint16_t>(window_cells(width, num_contrasts), false)),
      row_counts(strip_columns(width), 1 + num_contrasts),
      edge(kEdgeColumns, 1),
      level_counts(counted_size<int32_t>(static_cast<size_t>(level_count(num_contrasts)))),
      level_contrasts(counted_size<uint32_t>(kMaxLevel + 1)),
      contrasts_in_use(counted_size<uint32_t>(kMaxLevel + 1)),
      level_rows(reached_columns(width), kLevelRows),
      level_bits(level_words(width), kLevelRows + 1),
      tile(strip_columns(width), kTileRows) {}

bool Scratch::fits(int picture_width, const CambiPlan& plan) const {
  return strip_columns(picture_width) <= tile.width() && 1 + plan.num_contrasts <= row_counts.height() &&
         plan.window % 2 == 1 && plan.window <= kMaxWindow && plan.half_window == plan.window >> 1;
}

constexpr uint32_t kInfinity = std::bit_cast<uint32_t>(std::numeric_limits<float>::infinity());
// Bins are 2^16 floats wide: 0.4% to 0.8% of their values.
constexpr int kBinShift = 16;
constexpr size_t kTableSize = 1 << kBinShift;
static_assert(kInfinity >> kBinShift < kTableSize);
// Bounds lie a margin of ranks above and below the K-th largest. From a sample to its picture it is K / 14.
// From one picture to the next it is twice what the K-th largest moved by the last time, as its rank in the
// order of the picture before, within K / 128 and K / 16; it begins at K / 32 and falls by at most an eighth.
constexpr int64_t kSampleMargin = 14, kFirstMargin = 32, kLeastMargin = 128, kMostMargin = 16;
constexpr int64_t kMoves = 2, kFall = 8;
// Where the last bounds tell of fewer ranks, bounds go on by 1.6% to 3% of their values.
constexpr uint32_t kBeyond = 1 << 18;
constexpr int64_t kKeptSlack = 64;  // a vector, of any target

// How many values there is room for between guessed bounds.
static int64_t kept_capacity(int64_t samples) { return samples / 8 + 1024; }

static ExactSum times(int64_t count, uint32_t bits) {
  return static_cast<ExactSum>(count) * in_units(std::bit_cast<float>(bits));
}

const Pooling::Guess Pooling::kUnknown = {Pass::kCoarse, {1, kInfinity, 0}, 0};
const Pooling::Guess Pooling::kEveryValue = {Pass::kEvery, {1, 1, 0}, 0};

Pooling::Pooling(int64_t samples)
    : capacity_(kept_capacity(samples)),
      table_(counted_size<uint32_t>(kTableSize)),
      kept_(aligned_memory<float>(static_cast<size_t>(capacity_ + kKeptSlack), false)) {
  guesses_.fill(kUnknown);
  margins_.fill(0);
}

void Pooling::start(int slot, int64_t count) {
  HWY_DASSERT(0 <= slot && slot < kSlots && count >= 1);
  slot_ = static_cast<size_t>(slot);
  count_ = count;
  sampled_ = false;
  if (margin() == 0) margin() = count / kFirstMargin;
  begin(remembered());
}

void Pooling::begin(const Guess& guess) {
  pass_ = guess.pass;
  bounds_ = guess.bounds;
  tally_ = {};
  num_kept_ = 0;
  shift_ = pass_ == Pass::kBin ? 0 : kBinShift;
  if (pass_ == Pass::kCoarse || pass_ == Pass::kBin) clear_table();
}

void Pooling::begin_sample(double share) {
  HWY_DASSERT(wants_sample());
  sampled_ = true;
  share_ = share;
  begin(kUnknown);
}

void Pooling::end_sample() {
  const int64_t count = std::max(static_cast<int64_t>(share_ * static_cast<double>(count_)), int64_t{1});
  const int64_t margin = count / kSampleMargin + 1;
  begin(tally_.between + margin <= count ? kEveryValue : guess_around(count, margin));
}

bool Pooling::finish() {
  switch (pass_) {
    case Pass::kEvery:
      sum_ = tally_.sum_above;
      remembered() = kEveryValue;
      if (tally_.above <= count_) return true;
      break;
    case Pass::kKeep:
      if (finish_kept()) return true;
      margin() = count_ / kMostMargin;
      break;
    case Pass::kCoarse:
      return finish_coarse();
    case Pass::kBin:
      finish_bin();
      return true;
  }
  begin(kUnknown);
  return false;
}

bool Pooling::finish_coarse() {
  remember(count_);
  if (tally_.between <= count_) {
    sum_ = tally_.sum_between;
    return true;
  }
  const uint32_t low = bounds_.low + (bin_of(count_) << shift_);
  begin({Pass::kBin, {low, low + (1U << kBinShift), 0}, 0});
  return false;
}

void Pooling::finish_bin() {
  sum_ = tally_.sum_above;
  int64_t missing = count_ - tally_.above;
  uint32_t distance = num_bins();
  while (missing > 0) {
    --distance;
    const int64_t taken = std::min<int64_t>(missing, table_[distance]);
    sum_ += times(taken, bounds_.low + distance);
    missing -= taken;
  }
  remembered().bounds.pivot = bounds_.low + distance;
}

// False if the K-th largest lies outside the bounds, or too many values lie between them.
bool Pooling::finish_kept() {
  const int64_t wanted = count_ - tally_.above, missing = std::min(wanted, tally_.between);
  const bool outside = wanted < 0 || (wanted > tally_.between && bounds_.low > 1);
  if (outside || num_kept_ == capacity_) return false;
  count_kept();
  settle_margin(missing);
  remember(wanted);
  sum_ = tally_.sum_above;
  if (missing > 0) remembered().bounds.pivot = take_kept(missing);
  return true;
}

// Widens the margin at once and narrows it slowly.
void Pooling::settle_margin(int64_t missing) {
  if (sampled_) return;  // the sample was off, which says nothing of how pictures differ
  const int64_t moved = std::abs(missing - remembered().expected);
  margin() = std::max({kMoves * moved, margin() - margin() / kFall, count_ / kLeastMargin});
  margin() = std::min(margin(), count_ / kMostMargin);
}

// Counts in bins what is between the bounds.
void Pooling::count_kept() {
  clear_table();
  for (int64_t i = 0; i < num_kept_; ++i) count(std::bit_cast<uint32_t>(kept_[static_cast<size_t>(i)]));
  if (num_pivots() > 0)
    table_[(bounds_.pivot - bounds_.low) >> shift_] += static_cast<uint32_t>(num_pivots());
}

// Needs: count_kept(). Adds the `missing` largest of what is between the bounds to the sum, and returns the
// smallest of them. At least one is missing, and no more than there are.
uint32_t Pooling::take_kept(int64_t missing) {
  const uint32_t bin = bin_of(missing);
  const auto bin_at = [&](uint32_t bits) { return (bits - bounds_.low) >> shift_; };
  in_bin_.clear();
  for (int64_t i = 0; i < num_kept_; ++i) {
    const float value = kept_[static_cast<size_t>(i)];
    const uint32_t at = bin_at(std::bit_cast<uint32_t>(value));
    if (at > bin) {
      sum_ += in_units(value);
      --missing;
    } else if (at == bin) {
      in_bin_.push_back(value);
    }
  }
  const auto largest_in_bin = [&](int64_t count) {
    for (int64_t i = 0; i < count; ++i) sum_ += in_units(in_bin_[static_cast<size_t>(i)]);
  };
  if (num_pivots() > 0 && bin_at(bounds_.pivot) > bin) {
    sum_ += times(num_pivots(), bounds_.pivot);
    missing -= num_pivots();
  } else if (num_pivots() > 0 && bin_at(bounds_.pivot) == bin) {
    const float pivot = std::bit_cast<float>(bounds_.pivot);
    const auto behind =
        std::partition(in_bin_.begin(), in_bin_.end(), [&](float value) { return value > pivot; });
    const int64_t num_larger = behind - in_bin_.begin();
    const int64_t taken = std::clamp<int64_t>(missing - num_larger, 0, num_pivots());
    sum_ += times(taken, bounds_.pivot);
    missing -= taken;
    if (taken > 0 && missing == num_larger) {
      largest_in_bin(num_larger);
      return bounds_.pivot;
    }
  }
  std::nth_element(in_bin_.begin(), in_bin_.begin() + missing - 1, in_bin_.end(), std::greater<>());
  largest_in_bin(missing);
  return std::bit_cast<uint32_t>(in_bin_[static_cast<size_t>(missing) - 1]);
}

// The bin that holds the rank-th largest of what was counted; rank is at least 1, and as many were counted.
uint32_t Pooling::bin_of(int64_t rank) const {
  uint32_t bin = num_bins() - 1;
  for (int64_t above = table_[bin]; above < rank;) above += table_[--bin];
  return bin;
}

// The next guess if the rank-th largest of what was counted was, or would have been, the K-th largest of all:
// bounds `margin` ranks above and below it.
Pooling::Guess Pooling::guess_around(int64_t rank, int64_t margin) const {
  Bounds bounds = bounds_;
  uint32_t bin = num_bins();
  int64_t above = 0;
  if (rank < margin) {
    bounds.high += std::min(kBeyond, kInfinity - bounds.high);
  } else {
    while (bin > 0 && above + table_[bin - 1] <= rank - margin) above += table_[--bin];
    bounds.high = std::min(bounds_.low + (bin << shift_), bounds_.high);
  }
  const int64_t expected = rank - above;
  while (bin > 0 && above < rank + margin) above += table_[--bin];
  if (above < rank + margin) {
    bounds.low -= std::min(kBeyond, bounds.low - 1);
  } else {
    bounds.low += bin << shift_;
  }
  return {Pass::kKeep, bounds, expected};
}

// Needs: what is between the bounds, counted. Its rank-th largest is the K-th largest of all.
void Pooling::remember(int64_t rank) {
  const int64_t ranks = margin() + 1;
  remembered() = tally_.between + ranks <= rank ? kEveryValue : guess_around(rank, ranks);
}

// Number of the bins between the bounds.
uint32_t Pooling::num_bins() const { return ((bounds_.high - 1 - bounds_.low) >> shift_) + 1; }

void Pooling::clear_table() { std::fill_n(table_.begin(), num_bins(), 0U); }

}  // namespace vq::cambi
