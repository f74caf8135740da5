#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/cambi_pool.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#include "feature/cambi_stages.h"
#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq::cambi {
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
