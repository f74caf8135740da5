#define HWY_TARGET_INCLUDE "feature/cambi/pool.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/cambi/stages.h"

#if HWY_ONCE
namespace vq::cambi::scalar {

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

void heatmap(CValuesIn values, double factor, PlaneView<uint16_t> samples) {
  HWY_DASSERT(same_size(values, samples));
  for (int y = 0; y < values.height; ++y) {
    for (int x = 0; x < values.width; ++x) {
      const double sample = factor * static_cast<double>(values.row(y)[x]);
      samples.row(y)[x] = static_cast<uint16_t>(std::min(sample, 65535.0));
    }
  }
}

}  // namespace vq::cambi::scalar
#endif  // HWY_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::cambi::HWY_NAMESPACE {
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

using VF = hn::VFromD<F>;
using VD = hn::VFromD<D>;
using MaskOfF = decltype(hn::Eq(hn::Zero(F()), hn::Zero(F())));

HWY_INLINE uint64_t lane_bits(F f, MaskOfF mask) {
  uint8_t bytes[8] = {};
  hn::StoreMaskBits(f, mask, bytes);
  uint64_t bits = 0;
  hwy::CopyBytes<8>(bytes, &bits);
  return bits;
}

// Adds floats to sums in doubles, one of the lower and one of the upper halves of vectors.
HWY_INLINE void add_halves(VF values, VD& lower, VD& upper) {
  const D d;
  const HalfF half;
  lower = hn::Add(lower, hn::PromoteTo(d, hn::LowerHalf(half, values)));
  upper = hn::Add(upper, hn::PromoteTo(d, hn::UpperHalf(half, values)));
}

HWY_INLINE void tally(hn::VFromD<U>& count, MaskOfF mask) {
  count = hn::Sub(count, hn::BitCast(U(), hn::VecFromMask(F(), mask)));
}

int64_t total(hn::VFromD<U> count) { return static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(U(), count))); }

// Calls add(vector, the values it was loaded from) for each vector of a row, the last filled up with zeros.
template <typename Add>
HWY_INLINE void for_vectors(const float* values, int width, const Add& add) {
  const F f;
  const int step = static_cast<int>(hn::Lanes(f));
  int x = 0;
  for (; x + step <= width; x += step) add(hn::LoadU(f, values + x), values + x);
  if (x < width) {
    HWY_ALIGN float rest[hn::MaxLanes(F())] = {};
    std::copy_n(values + x, width - x, rest);
    add(hn::Load(f, rest), rest);
  }
}

// Pools values above the bounds and between them, from a part of a row short enough for sums in doubles to be
// exact. The sums are local variables: vectors whose length only the machine knows cannot be members.
void pool_part(const float* values, int width, Pooling& pooling) {
  const F f;
  const auto [low_bits, high_bits, pivot_bits] = pooling.bounds();
  const float low = std::bit_cast<float>(low_bits), high = std::bit_cast<float>(high_bits);
  const float pivot = std::bit_cast<float>(pivot_bits);
  const bool narrow = low_bits < high_bits, keeps = pooling.keeps();
  Pooling::Kept kept = pooling.kept();
  auto num_above = hn::Zero(U()), num_between = hn::Zero(U());
  auto above_lower = hn::Zero(D()), above_upper = hn::Zero(D());
  auto between_lower = hn::Zero(D()), between_upper = hn::Zero(D());

  for_vectors(values, width, [&](VF v, const float* from) HWY_ATTR {
    const auto is_above = hn::Ge(v, hn::Set(f, high));
    tally(num_above, is_above);
    add_halves(hn::IfThenElseZero(is_above, v), above_lower, above_upper);
    if (!narrow) return;
    const auto is_between = hn::AndNot(is_above, hn::Ge(v, hn::Set(f, low)));
    tally(num_between, is_between);
    if (hn::AllFalse(f, is_between)) return;
    if (keeps) {
      const auto is_kept = hn::And(is_between, hn::Ne(v, hn::Set(f, pivot)));
      kept.next = std::min(kept.next + hn::CompressStore(v, is_kept, f, kept.next), kept.end);
    } else {
      add_halves(hn::IfThenElseZero(is_between, v), between_lower, between_upper);
      count_between(pooling, from, lane_bits(f, is_between));
    }
  });

  Pooling::Tally& sums = pooling.tally();
  sums.above += total(num_above);
  sums.between += total(num_between);
  add_lanes(above_lower, sums.sum_above);
  add_lanes(above_upper, sums.sum_above);
  if (keeps) return pooling.set_kept(kept.next);
  add_lanes(between_lower, sums.sum_between);
  add_lanes(between_upper, sums.sum_between);
}

void pool(CValuesIn values, Pooling& pooling) {
  // Each lane of a double takes one value of every vector.
  const int piece = kExactAdditions * static_cast<int>(hn::Lanes(F()));
  for (int y = 0; y < values.height; ++y) {
    for (int x = 0; x < values.width; x += piece) {
      pool_part(values.row(y) + x, std::min(piece, values.width - x), pooling);
    }
  }
}

void heatmap(CValuesIn values, double factor, PlaneView<uint16_t> samples) {
  HWY_DASSERT(same_size(values, samples));
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> f;
  const hn::Rebind<int32_t, decltype(d)> i;
  const hn::Rebind<uint16_t, decltype(d)> u;
  const int step = static_cast<int>(hn::Lanes(d));
  const auto most = hn::Set(d, 65535.0), scale = hn::Set(d, factor);
  for (int y = 0; y < values.height; ++y) {
    const float* in = values.row(y);
    uint16_t* out = samples.row(y);
    int x = 0;
    for (; x + step <= values.width; x += step) {
      const auto sample = hn::Min(hn::Mul(scale, hn::PromoteTo(d, hn::LoadU(f, in + x))), most);
      hn::StoreU(hn::DemoteTo(u, hn::DemoteTo(i, sample)), u, out + x);
    }
    for (; x < values.width; ++x) {
      const double sample = factor * static_cast<double>(in[x]);
      out[x] = static_cast<uint16_t>(sample < 65535.0 ? sample : 65535.0);
    }
  }
}

}  // namespace vq::cambi::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::cambi, pool, heatmap)
#endif  // HWY_ONCE
