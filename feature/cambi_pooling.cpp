#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/cambi_pooling.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <functional>
#include <limits>
#include <new>

#include "feature/cambi_stages.h"
#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq::cambi {
namespace {

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
int64_t kept_capacity(int64_t samples) {
  return samples / 8 + 1024;
}

uint64_t in_units(float value) {
  return static_cast<uint64_t>(static_cast<double>(value) * (1 << kSumFractionBits));
}

ExactSum times(int64_t count, uint32_t bits) {
  return static_cast<ExactSum>(count) * in_units(std::bit_cast<float>(bits));
}

}  // namespace

const Pooling::Guess Pooling::kUnknown = {Pass::kCoarse, {1, kInfinity, 0}, 0};
const Pooling::Guess Pooling::kEveryValue = {Pass::kEvery, {1, 1, 0}, 0};

Pooling::Pooling(int64_t samples)
    : capacity_(kept_capacity(samples)),
      table_(kTableSize),
      kept_(hwy::AllocateAligned<float>(static_cast<size_t>(capacity_ + kKeptSlack))) {
  if (!kept_) throw std::bad_alloc();
  guesses_.fill(kUnknown);
  margins_.fill(0);
}

int64_t Pooling::bytes(int64_t samples) {
  return static_cast<int64_t>(kTableSize * sizeof(uint32_t)) +
         (kept_capacity(samples) + kKeptSlack) * static_cast<int64_t>(sizeof(float));
}

void Pooling::start(int slot, int64_t count) {
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

// False where the K-th largest lies outside the bounds, or too many values lie between them.
bool Pooling::finish_kept() {
  const int64_t missing = std::min(count_ - tally_.above, tally_.between);
  const bool all = missing == tally_.between && bounds_.low == 1;
  if (missing < 0 || num_kept_ == capacity_ || (count_ - tally_.above > missing && !all)) return false;
  count_kept();
  settle_margin(missing);
  remember(count_ - tally_.above);
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

// What to try next where the rank-th largest of what was counted was, or would have been, the K-th largest of
// all: bounds `margin` ranks above and below it.
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

// Of the bins between the bounds.
uint32_t Pooling::num_bins() const {
  return ((bounds_.high - 1 - bounds_.low) >> shift_) + 1;
}

void Pooling::clear_table() {
  std::fill_n(table_.begin(), num_bins(), 0U);
}

namespace scalar {

void pool(CValuesIn values, Pooling& pooling) {
  const auto [low, high, pivot] = pooling.bounds();
  Pooling::Tally& tally = pooling.tally();
  auto [next, end] = pooling.kept();
  for (int y = 0; y < values.height; ++y) {
    for (int x = 0; x < values.width; ++x) {
      const float value = values.row(y)[x];
      const uint32_t bits = std::bit_cast<uint32_t>(value);
      if (bits >= high) {
        ++tally.above;
        tally.sum_above += in_units(value);
      } else if (bits >= low) {
        ++tally.between;
        if (!pooling.keeps()) {
          tally.sum_between += in_units(value);
          pooling.count(bits);
        } else if (bits != pivot && next != end) {
          *next++ = value;
        }
      }
    }
  }
  pooling.set_kept(next);
}

}  // namespace scalar
}  // namespace vq::cambi
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::cambi {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::pool;
#else

namespace hn = hwy::HWY_NAMESPACE;

using F = hn::ScalableTag<float>;
using D = hn::ScalableTag<double>;
using HalfF = hn::Rebind<float, D>;
using U = hn::RebindToUnsigned<F>;

// Doubles hold a sum of 2^11 multiples of 2^-24 below 2^18 exactly.
constexpr int kExactAdditions = 1 << 11;  // 2^(18 + 24 + 11) is what a double holds

void add_lanes(hn::VFromD<D> sums, ExactSum& total) {
  const D d;
  HWY_ALIGN double lanes[hn::MaxLanes(D())];
  hn::Store(sums, d, lanes);
  constexpr double kUnits = 1 << kSumFractionBits;
  for (size_t i = 0; i < hn::Lanes(d); ++i) total += static_cast<uint64_t>(lanes[i] * kUnits);
}

HWY_INLINE void count_between(Pooling& pooling, const float* values, uint64_t lanes) {
  while (lanes != 0) {
    const size_t lane = hwy::Num0BitsBelowLS1Bit_Nonzero64(lanes);
    uint32_t bits = 0;
    hwy::CopyBytes<4>(values + lane, &bits);
    pooling.count(bits);
    lanes &= lanes - 1;
  }
}

using MaskOfF = decltype(hn::Eq(hn::Zero(F()), hn::Zero(F())));

HWY_INLINE uint64_t lane_bits(F f, MaskOfF mask) {
  uint8_t bytes[8] = {};
  hn::StoreMaskBits(f, mask, bytes);
  uint64_t bits = 0;
  hwy::CopyBytes<8>(bytes, &bits);
  return bits;
}

// Sums of floats in doubles, of the lower and of the upper halves of vectors.
struct Sum {
  hn::VFromD<D> lower, upper;

  HWY_INLINE Sum() : lower(hn::Zero(D())), upper(hn::Zero(D())) {}
  HWY_INLINE void add(hn::VFromD<F> values) {
    const D d;
    const HalfF half;
    lower = hn::Add(lower, hn::PromoteTo(d, hn::LowerHalf(half, values)));
    upper = hn::Add(upper, hn::PromoteTo(d, hn::UpperHalf(half, values)));
  }
  void drain(ExactSum& total) const {
    add_lanes(lower, total);
    add_lanes(upper, total);
  }
};

// Pools parts of rows short enough for sums in doubles to be exact.
class RowPooler {
 public:
  explicit RowPooler(Pooling& pooling)
      : pooling_(pooling),
        low_(std::bit_cast<float>(pooling.bounds().low)),
        high_(std::bit_cast<float>(pooling.bounds().high)),
        pivot_(std::bit_cast<float>(pooling.bounds().pivot)),
        narrow_(pooling.bounds().low < pooling.bounds().high),
        keeps_(pooling.keeps()),
        kept_(pooling.kept()),
        num_above_(hn::Zero(U())),
        num_between_(hn::Zero(U())) {}

  void add(const float* values, int width) {
    const F f;
    const int step = static_cast<int>(hn::Lanes(f));
    int x = 0;
    for (; x + step <= width; x += step) add_vector(hn::LoadU(f, values + x), values + x);
    if (x < width) {
      HWY_ALIGN float rest[hn::MaxLanes(F())] = {};
      std::copy_n(values + x, width - x, rest);
      add_vector(hn::Load(f, rest), rest);
    }
  }

  void finish() const {
    Pooling::Tally& tally = pooling_.tally();
    tally.above += total(num_above_);
    tally.between += total(num_between_);
    above_.drain(tally.sum_above);
    if (keeps_) {
      pooling_.set_kept(kept_.next);
    } else {
      between_.drain(tally.sum_between);
    }
  }

 private:
  HWY_INLINE void add_vector(hn::VFromD<F> v, const float* values) {
    const F f;
    const auto is_above = hn::Ge(v, hn::Set(f, high_));
    tally(num_above_, is_above);
    above_.add(hn::IfThenElseZero(is_above, v));
    if (!narrow_) return;
    const auto is_between = hn::AndNot(is_above, hn::Ge(v, hn::Set(f, low_)));
    tally(num_between_, is_between);
    if (hn::AllFalse(f, is_between)) return;
    if (keeps_) {
      const auto is_kept = hn::And(is_between, hn::Ne(v, hn::Set(f, pivot_)));
      kept_.next = std::min(kept_.next + hn::CompressStore(v, is_kept, f, kept_.next), kept_.end);
    } else {
      between_.add(hn::IfThenElseZero(is_between, v));
      count_between(pooling_, values, lane_bits(f, is_between));
    }
  }

  static HWY_INLINE void tally(hn::VFromD<U>& count, MaskOfF mask) {
    count = hn::Sub(count, hn::BitCast(U(), hn::VecFromMask(F(), mask)));
  }
  static int64_t total(hn::VFromD<U> count) {
    return static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(U(), count)));
  }

  Pooling& pooling_;
  const float low_, high_, pivot_;
  const bool narrow_, keeps_;
  Pooling::Kept kept_;
  hn::VFromD<U> num_above_, num_between_;
  Sum above_, between_;
};

void pool(CValuesIn values, Pooling& pooling) {
  // Each lane of a double takes one value of every vector.
  const int piece = kExactAdditions * static_cast<int>(hn::Lanes(F()));
  for (int y = 0; y < values.height; ++y) {
    for (int x = 0; x < values.width; x += piece) {
      RowPooler pooler(pooling);
      pooler.add(values.row(y) + x, std::min(piece, values.width - x));
      pooler.finish();
    }
  }
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::cambi
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vq::cambi {
HWY_EXPORT(pool);

decltype(CambiStages::pool) simd::pool_for(int64_t target) {
  return for_target(HWY_DISPATCH_TABLE(pool), target);
}

}  // namespace vq::cambi
#endif  // HWY_ONCE
