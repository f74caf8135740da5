#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/cambi_pooling.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "feature/cambi_stages.h"
#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq::cambi {
namespace {

constexpr uint32_t kUnknown = 0;     // no picture yet: floats start at 0.5
constexpr uint32_t kEveryValue = 1;  // no more than K were greater than zero
constexpr uint32_t kInfinity = std::bit_cast<uint32_t>(std::numeric_limits<float>::infinity());
// Of the fine bounds, in units of a float's last place. The K-th largest of a scale may move by 1.6% to 3% of
// its value, or 6% to 12%, from one frame to the next before further passes are needed.
constexpr uint32_t kNarrow = 1U << 19, kWide = 1U << 21;

uint64_t in_units(float value) {
  return static_cast<uint64_t>(std::ldexp(static_cast<double>(value), kSumFractionBits));
}

}  // namespace

Pooling::Pooling(int64_t samples) : coarse_((kInfinity >> kCoarseShift) + 1), fine_(kWide) {
  guesses_.fill(kUnknown);
  widths_.fill(kNarrow);
  wrapped_.reserve(static_cast<size_t>(samples / 256));
}

int64_t Pooling::bytes(int64_t samples) {
  constexpr int64_t kWord = sizeof(uint32_t);
  return (kInfinity >> kCoarseShift) * kWord + kWide + samples / 256 * kWord;
}

void Pooling::start(int scale, int64_t count) {
  scale_ = scale;
  count_ = count;
  const uint32_t guess = guesses_[static_cast<size_t>(scale)];
  if (guess == kUnknown) {
    begin(Pass::kCoarse, {1, kInfinity});
  } else if (guess == kEveryValue) {
    begin(Pass::kAll, {1, 1});
  } else {
    begin_fine(guess);
    from_guess_ = true;
  }
}

void Pooling::begin(Pass pass, Bounds bounds) {
  pass_ = pass;
  from_guess_ = false;
  bounds_ = bounds;
  tally_ = {};
  if (pass == Pass::kCoarse) std::fill(coarse_.begin(), coarse_.end(), 0U);
  if (pass == Pass::kFine) std::fill_n(fine_.begin(), bounds.high - bounds.low, uint8_t{0});
  wrapped_.clear();
}

void Pooling::begin_fine(uint32_t bits) {
  const uint32_t width = widths_[static_cast<size_t>(scale_)];
  const uint32_t low = bits - std::min(bits - 1, width / 2);
  begin(Pass::kFine, {low, low + width});
}

// Whether no value occurred at the eight distances below `distance`.
bool Pooling::next_eight_are_zero(uint32_t distance) const {
  if (distance < 8 || (!wrapped_.empty() && wrapped_.back() >= distance - 8)) return false;
  uint64_t eight = 0;
  std::memcpy(&eight, &fine_[distance - 8], sizeof eight);
  return eight == 0;
}

// Takes the largest counted values until K are reached. False where the K-th lies outside the bounds.
bool Pooling::select() {
  int64_t missing = count_ - tally_.above;
  if (missing < 0 || (missing > tally_.between && bounds_.low > 1)) return false;
  sum_ = tally_.sum_above;
  std::sort(wrapped_.begin(), wrapped_.end());
  uint32_t distance = bounds_.high - bounds_.low;
  while (missing > 0 && distance > 0) {
    if (next_eight_are_zero(distance)) {
      distance -= 8;
      continue;
    }
    --distance;
    int64_t times = fine_[distance];
    for (; !wrapped_.empty() && wrapped_.back() == distance; wrapped_.pop_back()) times += 256;
    const int64_t taken = std::min(missing, times);
    sum_ += static_cast<ExactSum>(taken) * in_units(std::bit_cast<float>(bounds_.low + distance));
    missing -= taken;
  }
  const uint32_t bits = bounds_.low + distance;
  const size_t k = static_cast<size_t>(scale_);
  const uint32_t centre = bounds_.low + widths_[k] / 2, moved = bits > centre ? bits - centre : centre - bits;
  if (from_guess_ && moved < kNarrow / 4) widths_[k] = kNarrow;
  guesses_[k] = bits;
  return true;
}

bool Pooling::finish_coarse() {
  if (tally_.between <= count_) {
    sum_ = tally_.sum_between;
    guesses_[static_cast<size_t>(scale_)] = kEveryValue;
    return true;
  }
  uint32_t bin = (bounds_.high - bounds_.low) >> kCoarseShift;
  for (int64_t above = coarse_[bin]; above < count_;) above += coarse_[--bin];
  begin_fine(bounds_.low + (bin << kCoarseShift) + (1U << (kCoarseShift - 1)));
  return false;
}

bool Pooling::finish() {
  switch (pass_) {
    case Pass::kCoarse:
      return finish_coarse();
    case Pass::kAll:
      sum_ = tally_.sum_above;
      if (tally_.above <= count_) return true;
      break;
    case Pass::kFine:
      if (select()) return true;
      widths_[static_cast<size_t>(scale_)] = kWide;
      break;
  }
  begin(Pass::kCoarse, {1, kInfinity});
  return false;
}

namespace scalar {

void pool(CValuesIn values, Pooling& pooling) {
  const auto [low, high] = pooling.bounds();
  Pooling::Tally& tally = pooling.tally();
  for (int y = 0; y < values.height; ++y) {
    for (int x = 0; x < values.width; ++x) {
      const float value = values.row(y)[x];
      const uint32_t bits = std::bit_cast<uint32_t>(value);
      if (bits >= high) {
        ++tally.above;
        tally.sum_above += in_units(value);
      } else if (bits >= low) {
        ++tally.between;
        tally.sum_between += in_units(value);
        pooling.count(bits);
      }
    }
  }
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
        narrow_(pooling.bounds().low < pooling.bounds().high),
        num_above_(hn::Zero(U())) {}

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
    tally.above += static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(U(), num_above_)));
    tally.between += num_between_;
    above_.drain(tally.sum_above);
    if (num_between_ != 0) between_.drain(tally.sum_between);
  }

 private:
  HWY_INLINE void add_vector(hn::VFromD<F> v, const float* values) {
    const F f;
    const U u;
    const auto is_above = hn::Ge(v, hn::Set(f, high_));
    num_above_ = hn::Sub(num_above_, hn::BitCast(u, hn::VecFromMask(f, is_above)));
    above_.add(hn::IfThenElseZero(is_above, v));
    if (!narrow_) return;
    const auto is_between = hn::AndNot(is_above, hn::Ge(v, hn::Set(f, low_)));
    if (hn::AllFalse(f, is_between)) return;
    num_between_ += static_cast<int64_t>(hn::CountTrue(f, is_between));
    between_.add(hn::IfThenElseZero(is_between, v));
    count_between(pooling_, values, lane_bits(f, is_between));
  }

  Pooling& pooling_;
  const float low_, high_;
  const bool narrow_;
  hn::VFromD<U> num_above_;
  int64_t num_between_ = 0;
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
