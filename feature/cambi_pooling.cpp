#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/cambi_pooling.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "feature/cambi_stages.h"
#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq::cambi {
namespace {

constexpr uint32_t kUnknown = 0;     // no picture yet: floats start at 0.5
constexpr uint32_t kEveryValue = 1;  // no more than K were greater than zero
constexpr uint32_t kInfinity = std::bit_cast<uint32_t>(std::numeric_limits<float>::infinity());
constexpr int kCoarseShift = 16;
constexpr uint32_t kFineWidth =
    1U << 18;  // about 3% to 6% of the value: frames that differ by less take one pass

uint64_t in_units(float value) {
  return static_cast<uint64_t>(std::ldexp(static_cast<double>(value), kSumFractionBits));
}

}  // namespace

Pooling::Pooling() : counters_(kFineWidth) {
  guesses_.fill(kUnknown);
}

int64_t Pooling::bytes() {
  return static_cast<int64_t>(kFineWidth * sizeof(uint32_t));
}

void Pooling::start(int scale, int64_t count) {
  scale_ = scale;
  count_ = count;
  const uint32_t guess = guesses_[static_cast<size_t>(scale)];
  if (guess == kUnknown) {
    begin(Pass::kCoarse, {1, kInfinity, kCoarseShift});
  } else if (guess == kEveryValue) {
    begin(Pass::kAll, {1, 1, 0});
  } else {
    begin_fine(guess);
  }
}

void Pooling::begin(Pass pass, Bounds bounds) {
  pass_ = pass;
  bounds_ = bounds;
  tally_ = {};
  const uint32_t used = ((bounds.high - bounds.low) >> bounds.shift) + 1;
  std::fill_n(counters_.begin(), std::min<size_t>(used, counters_.size()), 0U);
}

void Pooling::begin_fine(uint32_t bits) {
  const uint32_t low = bits - std::min(bits - 1, kFineWidth / 2);
  begin(Pass::kFine, {low, low + kFineWidth, 0});
}

// Takes the largest counted values until K are reached. False where the K-th lies outside the bounds.
bool Pooling::select() {
  int64_t missing = count_ - tally_.above;
  if (missing < 0 || (missing > tally_.between && bounds_.low > 1)) return false;
  sum_ = tally_.sum_above;
  uint32_t bits = bounds_.high;
  while (missing > 0 && bits > bounds_.low) {
    --bits;
    const int64_t taken = std::min<int64_t>(missing, counters_[bits - bounds_.low]);
    sum_ += static_cast<ExactSum>(taken) * in_units(std::bit_cast<float>(bits));
    missing -= taken;
  }
  guesses_[static_cast<size_t>(scale_)] = bits;
  return true;
}

bool Pooling::finish_coarse() {
  if (tally_.between <= count_) {
    sum_ = tally_.sum_between;
    guesses_[static_cast<size_t>(scale_)] = kEveryValue;
    return true;
  }
  uint32_t bin = (bounds_.high - bounds_.low) >> kCoarseShift;
  for (int64_t above = counters_[bin]; above < count_;) above += counters_[--bin];
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
      break;
  }
  begin(Pass::kCoarse, {1, kInfinity, kCoarseShift});
  return false;
}

namespace scalar {

void pool(CValuesIn values, Pooling& pooling) {
  const auto [low, high, shift] = pooling.bounds();
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
        ++pooling.counters()[(bits - low) >> shift];
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
constexpr int kExactAdditions = 1 << 11;

void drain(D d, hn::VFromD<D> sums, ExactSum& total) {
  HWY_ALIGN double lanes[hn::MaxLanes(D())];
  hn::Store(sums, d, lanes);
  constexpr double kUnits = 1 << kSumFractionBits;
  for (size_t i = 0; i < hn::Lanes(d); ++i) total += static_cast<uint64_t>(lanes[i] * kUnits);
}

HWY_INLINE void count_between(Pooling& pooling, const float* values, uint64_t lanes) {
  const auto [low, high, shift] = pooling.bounds();
  uint32_t* counters = pooling.counters();
  while (lanes != 0) {
    const size_t lane = hwy::Num0BitsBelowLS1Bit_Nonzero64(lanes);
    uint32_t bits = 0;
    hwy::CopyBytes<4>(values + lane, &bits);
    ++counters[(bits - low) >> shift];
    lanes &= lanes - 1;
  }
}

HWY_INLINE uint64_t lane_bits(F f, hn::MFromD<F> mask) {
  uint8_t bytes[8] = {};
  hn::StoreMaskBits(f, mask, bytes);
  uint64_t bits = 0;
  hwy::CopyBytes<8>(bytes, &bits);
  return bits;
}

HWY_INLINE hn::VFromD<D> in_doubles(D d, hn::VFromD<F> values, hn::VFromD<D> sums) {
  const HalfF half;
  sums = hn::Add(sums, hn::PromoteTo(d, hn::LowerHalf(half, values)));
  return hn::Add(sums, hn::PromoteTo(d, hn::UpperHalf(half, values)));
}

// Values of one row, `n` of which count from the vector at x.
class RowPooler {
 public:
  explicit RowPooler(Pooling& pooling)
      : pooling_(pooling),
        low_(std::bit_cast<float>(pooling.bounds().low)),
        high_(std::bit_cast<float>(pooling.bounds().high)),
        narrow_(pooling.bounds().low < pooling.bounds().high) {}

  void add(const float* values, int width) {
    const F f;
    const D d;
    const int step = static_cast<int>(hn::Lanes(f));
    auto above = hn::Zero(d), between = hn::Zero(d);
    int64_t num_above = 0, num_between = 0;
    for (int x = 0; x < width; x += step) {
      const int left = width - x;
      const auto v = left >= step ? hn::LoadU(f, values + x) : load_part(values + x, left);
      const auto is_above = hn::Ge(v, hn::Set(f, high_));
      num_above += static_cast<int64_t>(hn::CountTrue(f, is_above));
      above = in_doubles(d, hn::IfThenElseZero(is_above, v), above);
      if (!narrow_) continue;
      const auto is_between = hn::AndNot(is_above, hn::Ge(v, hn::Set(f, low_)));
      const uint64_t lanes = lane_bits(f, is_between);
      if (lanes == 0) continue;
      num_between += static_cast<int64_t>(hn::CountTrue(f, is_between));
      between = in_doubles(d, hn::IfThenElseZero(is_between, v), between);
      count_between(pooling_, values + x, lanes);
    }
    Pooling::Tally& tally = pooling_.tally();
    tally.above += num_above;
    tally.between += num_between;
    drain(d, above, tally.sum_above);
    if (num_between != 0) drain(d, between, tally.sum_between);
  }

 private:
  hn::VFromD<F> load_part(const float* values, int count) const {
    HWY_ALIGN float lanes[hn::MaxLanes(F())] = {};
    std::copy_n(values, count, lanes);
    return hn::Load(F(), lanes);
  }

  Pooling& pooling_;
  const float low_, high_;
  const bool narrow_;
};

void pool(CValuesIn values, Pooling& pooling) {
  // Each lane of a double takes two values of every vector.
  const int piece = kExactAdditions / 2 * static_cast<int>(hn::Lanes(F()));
  RowPooler pooler(pooling);
  for (int y = 0; y < values.height; ++y) {
    for (int x = 0; x < values.width; x += piece) {
      pooler.add(values.row(y) + x, std::min(piece, values.width - x));
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
