#define HWY_TARGET_INCLUDE "feature/psnr_hvs/error_sum.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstdlib>

#include "feature/psnr_hvs/psnr_hvs.h"

#ifndef VQ_PSNR_HVS_ERROR_SUM_ONCE
#define VQ_PSNR_HVS_ERROR_SUM_ONCE
namespace vq::psnr_hvs {

inline constexpr int kQuarterSide = kBlockSide / 2, kQuarterSamples = kQuarterSide * kQuarterSide;
inline constexpr float kMaskScale = 1.0F / 32;

// The quarter that a sample is in: those on the left first, from the top.
inline int quarter_of(int row, int column) { return row / kQuarterSide + 2 * (column / kQuarterSide); }

// The rows of a band that begins at row y.
template <typename T>
static void to_words(const PlaneView<const T>& plane, int y, int shift, const PlaneView<int32_t>& out) {
  for (int i = 0; i < kBlockSide; ++i) {
    for (int x = 0; x < plane.width; ++x) out.row(i)[x] = static_cast<int32_t>(plane.row(y + i)[x]) << shift;
  }
}
static void fill_band(const Samples& samples, int y, const PlaneView<int32_t>& out) {
  if (samples.view.is_u8()) {
    to_words(samples.view.u8, y, samples.shift, out);
  } else {
    to_words(samples.view.u16, y, samples.shift, out);
  }
}

// How large the variance within the quarters of a block is beside that of the whole.
static float detail_of(const int32_t* block) {
  float mean = 0, quarter_means[4] = {};
  for (int i = 0; i < kBlockSamples; ++i) {
    mean += static_cast<float>(block[i]);
    quarter_means[quarter_of(i / kBlockSide, i % kBlockSide)] += static_cast<float>(block[i]);
  }
  mean /= kBlockSamples;
  for (float& quarter : quarter_means) quarter /= kQuarterSamples;
  float variance = 0, quarters[4] = {};
  for (int i = 0; i < kBlockSamples; ++i) {
    const int q = quarter_of(i / kBlockSide, i % kBlockSide);
    const float from_mean = static_cast<float>(block[i]) - mean,
                from_own = static_cast<float>(block[i]) - quarter_means[q];
    variance += from_mean * from_mean;
    quarters[q] += from_own * from_own;
  }
  variance *= kBlockVariance;
  for (float& quarter : quarters) quarter *= kQuarterVariance;
  return variance > 0 ? (quarters[0] + quarters[1] + quarters[2] + quarters[3]) / variance : variance;
}

// How much of an error a block hides. Leaves its transform in place of the block.
static float mask_of(int32_t* block, const Weights& weights) {
  const float detail = detail_of(block);
  transform(block);
  float sum = 0;
  for (int i = 1; i < kBlockSamples; ++i) sum += static_cast<float>(block[i] * block[i]) * weights.masking[i];
  return std::sqrt(sum * detail) * kMaskScale;
}

static void copy_block(const PlaneView<int32_t>& band, int x, int32_t* block) {
  for (int i = 0; i < kBlockSide; ++i) std::copy_n(band.row(i) + x, kBlockSide, block + kBlockSide * i);
}

// The visible part of the difference in frequency i.
static float visible(int32_t a, int32_t b, int i, float mask, const Weights& weights) {
  float error = static_cast<float>(std::abs(a - b));
  if (i != 0) {
    const float hidden = mask / weights.masking[i];
    error = error < hidden ? 0 : error - hidden;
  }
  const float weighted = error * weights.contrast[i];
  return weighted * weighted;
}

float scalar::error_sum(const Samples& a, const Samples& b, const Weights& weights, Bands& bands) {
  HWY_DASSERT(a.view.width() == b.view.width() && a.view.height() == b.view.height());
  float sum = 0;
  for (int y = 0; y < blocks_along(a.view.height()); ++y) {
    fill_band(a, kBlockStep * y, bands.of(0));
    fill_band(b, kBlockStep * y, bands.of(1));
    for (int x = 0; x < blocks_along(a.view.width()); ++x) {
      int32_t block_a[kBlockSamples], block_b[kBlockSamples];
      copy_block(bands.of(0), kBlockStep * x, block_a);
      copy_block(bands.of(1), kBlockStep * x, block_b);
      const float mask_a = mask_of(block_a, weights), mask_b = mask_of(block_b, weights);
      const float mask = std::max(mask_a, mask_b);
      for (int i = 0; i < kBlockSamples; ++i) sum += visible(block_a[i], block_b[i], i, mask, weights);
    }
  }
  return sum;
}

}  // namespace vq::psnr_hvs
#endif  // VQ_PSNR_HVS_ERROR_SUM_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::psnr_hvs::HWY_NAMESPACE {
// The integer transform of eight numbers, for a block in each lane.

namespace hn = hwy::HWY_NAMESPACE;

using S32 = hn::ScalableTag<int32_t>;
using Words = hn::VFromD<S32>;

constexpr int kMostLanes = static_cast<int>(kRowGuardBytes / sizeof(int32_t));

HWY_INLINE int lanes() { return static_cast<int>(hn::Lanes(S32())); }

HWY_INLINE Words half(Words a) { return hn::ShiftRight<1>(hn::Sub(a, hn::ShiftRight<31>(a))); }

template <int factor, int bits>
HWY_INLINE Words lift(Words t) {
  const S32 d;
  return hn::ShiftRight<bits>(hn::Add(hn::Mul(hn::Set(d, factor), t), hn::Set(d, 1 << (bits - 1))));
}

// transform_eight() of each lane; numbers are `step` apart.
HWY_INLINE void transform_lanes(int32_t* x, int step) {
  const S32 d;
  const auto at = [&](int i) HWY_ATTR { return hn::Load(d, x + i * step); };
  Words t0 = at(0), t4 = at(1), t2 = at(2), t6 = at(3), t7 = at(4), t3 = at(5), t5 = at(6), t1 = at(7);
  t1 = hn::Sub(t0, t1);
  const Words u1 = half(t1);
  t0 = hn::Sub(t0, u1);
  t4 = hn::Add(t4, t5);
  const Words u4 = half(t4);
  t5 = hn::Sub(t5, u4);
  t3 = hn::Sub(t2, t3);
  t2 = hn::Sub(t2, half(t3));
  t6 = hn::Add(t6, t7);
  const Words u6 = half(t6);
  t7 = hn::Sub(u6, t7);
  t0 = hn::Add(t0, u6);
  t6 = hn::Sub(t0, t6);
  t2 = hn::Sub(u4, t2);
  t4 = hn::Sub(t2, t4);
  t0 = hn::Sub(t0, lift<13573, 15>(t4));
  t4 = hn::Add(t4, lift<11585, 14>(t0));
  t0 = hn::Sub(t0, lift<13573, 15>(t4));
  t6 = hn::Sub(t6, lift<21895, 15>(t2));
  t2 = hn::Add(t2, lift<15137, 14>(t6));
  t6 = hn::Sub(t6, lift<21895, 15>(t2));
  t3 = hn::Add(t3, lift<19195, 15>(t5));
  t5 = hn::Add(t5, lift<11585, 14>(t3));
  t3 = hn::Sub(t3, lift<7489, 13>(t5));
  t7 = hn::Sub(half(t5), t7);
  t5 = hn::Sub(t5, t7);
  t3 = hn::Sub(u1, t3);
  t1 = hn::Sub(t1, t3);
  t7 = hn::Add(t7, lift<3227, 15>(t1));
  t1 = hn::Sub(t1, lift<6393, 15>(t7));
  t7 = hn::Add(t7, lift<3227, 15>(t1));
  t5 = hn::Add(t5, lift<2485, 13>(t3));
  t3 = hn::Sub(t3, lift<18205, 15>(t5));
  t5 = hn::Add(t5, lift<2485, 13>(t3));
  hn::Store(t0, d, x);
  hn::Store(t1, d, x + step);
  hn::Store(t2, d, x + 2 * step);
  hn::Store(t3, d, x + 3 * step);
  hn::Store(t4, d, x + 4 * step);
  hn::Store(t5, d, x + 5 * step);
  hn::Store(t6, d, x + 6 * step);
  hn::Store(t7, d, x + 7 * step);
}

// The sum of visible errors over groups of blocks, in the order of blocks.

// Visible errors of a group.
struct Terms {
  alignas(kRowGuardBytes) float at[kBlockSamples * kMostLanes];
  // Bit (lane % 8) of [lane / 8][i]: the term is not zero.
  alignas(kRowGuardBytes) uint8_t present[kMostLanes / 8][kBlockSamples];
};

// Bit i: the term of frequency i of the lane is not zero.
HWY_INLINE uint64_t present_in(const Terms& terms, int lane) {
  const hn::CappedTag<uint8_t, kBlockSamples> d;
  const auto bit = hn::Set(d, static_cast<uint8_t>(1 << lane % 8));
  uint8_t bytes[kBlockSamples / 8 + 8];
  for (size_t i = 0; i < kBlockSamples; i += hn::Lanes(d)) {
    hn::StoreMaskBits(d, hn::TestBit(hn::LoadU(d, terms.present[lane / 8] + i), bit), bytes + i / 8);
  }
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, sizeof(bits));
  return bits;
}

// The sum of terms in the order of blocks. Each addition waits for the one before, so they are made block by
// block while the next blocks are transformed. Zeros change nothing and are left out.
class OrderedSum {
 public:
  // Takes the terms of the first `blocks` lanes, which stay as they are until all are added. Needs: none are
  // left.
  void take(const Terms& terms, int blocks) {
    terms_ = &terms;
    blocks_ = blocks;
    next_ = 0;
  }
  // Adds the terms of the next block.
  void add_block() {
    if (next_ == blocks_) return;
    const float* const from = terms_->at + next_;
    float sum = sum_;
    for (uint64_t rest = present_in(*terms_, next_); rest != 0; rest &= rest - 1) {
      sum += from[static_cast<int>(hwy::Num0BitsBelowLS1Bit_Nonzero64(rest)) * lanes()];
    }
    sum_ = sum;
    ++next_;
  }
  float finish() {
    while (next_ < blocks_) add_block();
    return sum_;
  }

 private:
  const Terms* terms_ = nullptr;
  int blocks_ = 0, next_ = 0;
  float sum_ = 0;
};

// A lane is a block.
using F32 = hn::ScalableTag<float>;
using Floats = hn::VFromD<F32>;

// As many blocks as there are lanes: sample or coefficient i of all of them is at i * lanes().
struct BlockGroup {
  alignas(kRowGuardBytes) int32_t at[kBlockSamples * kMostLanes];
};
// The rows of a band that begins at row y.
template <typename T>
void to_words(const PlaneView<const T>& plane, int y, int shift, const PlaneView<int32_t>& out) {
  const S32 d;
  const int width = plane.width;
  for (int i = 0; i < kBlockSide; ++i) {
    const T* const from = plane.row(y + i);
    int32_t* const to = out.row(i);
    int x = 0;
    for (; x + lanes() <= width; x += lanes()) {
      hn::StoreU(hn::ShiftLeftSame(hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, S32>(), from + x)), shift), d,
                 to + x);
    }
    for (; x < width; ++x) to[x] = static_cast<int32_t>(from[x]) << shift;
  }
}
void fill_band(const Samples& samples, int y, const PlaneView<int32_t>& out) {
  if (samples.view.is_u8()) {
    to_words(samples.view.u8, y, samples.shift, out);
  } else {
    to_words(samples.view.u16, y, samples.shift, out);
  }
}

// Four words of each of four rows become four rows of one word of each.
HWY_INLINE void transpose_four(const int32_t* from, int from_step, int32_t* to, int to_step) {
  const hn::Full128<int32_t> d;
  const hn::Full128<int64_t> pairs;
  const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + from_step),
             c = hn::LoadU(d, from + 2 * from_step), e = hn::LoadU(d, from + 3 * from_step);
  const auto ab = hn::BitCast(pairs, hn::InterleaveLower(d, a, b)),
             ce = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
  const auto ab_up = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b)),
             ce_up = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab, ce)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab, ce)), d, to + to_step);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab_up, ce_up)), d, to + 2 * to_step);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab_up, ce_up)), d, to + 3 * to_step);
}

// The blocks from column x of a band on.
void gather_blocks(const PlaneView<int32_t>& band, int x, BlockGroup& out) {
  const int step = lanes();
  for (int i = 0; i < kBlockSide; ++i) {
    for (int lane = 0; lane < step; lane += 4) {
      const int32_t* const from = band.row(i) + x + kBlockStep * lane;
      int32_t* const to = out.at + kBlockSide * i * step + lane;
      transpose_four(from, kBlockStep, to, step);
      transpose_four(from + 4, kBlockStep, to + 4 * step, step);
    }
  }
}

// 16 transforms of eight. Beside those of both pictures the blocks of the last group are added up.
void transform_group(BlockGroup& group, OrderedSum& sum) {
  const int step = lanes(), transforms_each_block = 4 * kBlockSide / step;
  for (int column = 0; column < kBlockSide; ++column) {
    transform_lanes(group.at + column * step, kBlockSide * step);
    if (column % transforms_each_block == 0) sum.add_block();
  }
  for (int row = 0; row < kBlockSide; ++row) {
    transform_lanes(group.at + kBlockSide * row * step, step);
    if (row % transforms_each_block == 0) sum.add_block();
  }
}

// Sums of the quarter whose first sample is at `from`: the samples, and the squares about its own mean and
// another.
HWY_INLINE Words quarter_sum(const int32_t* from) {
  const S32 d;
  Words sum = hn::Zero(d);
  for (int i = 0; i < kQuarterSide; ++i) {
    for (int k = 0; k < kQuarterSide; ++k)
      sum = hn::Add(sum, hn::Load(d, from + (kBlockSide * i + k) * lanes()));
  }
  return sum;
}

HWY_INLINE void add_square(Floats sample, Floats mean, Floats& sum) {
  const Floats difference = hn::Sub(sample, mean);
  sum = hn::Add(sum, hn::Mul(difference, difference));
}

// The rows of two quarters that lie side by side: four squares about the mean of each.
HWY_INLINE void add_rows(const int32_t* from, Floats mean, Floats left_mean, Floats right_mean, Floats& all,
                         Floats& left, Floats& right) {
  for (int i = 0; i < kQuarterSide; ++i) {
    const int32_t* const row = from + kBlockSide * i * lanes();
    for (int k = 0; k < kBlockSide; ++k) {
      const Floats sample = hn::ConvertTo(F32(), hn::Load(S32(), row + k * lanes()));
      add_square(sample, mean, all);
      if (k < kQuarterSide) {
        add_square(sample, left_mean, left);
      } else {
        add_square(sample, right_mean, right);
      }
    }
  }
}

// detail_of() of each lane. Sums of samples are exact, in floats as in words.
HWY_INLINE Floats detail_of(const BlockGroup& group) {
  const F32 d;
  const int32_t* const below = group.at + kQuarterSide * kBlockSide * lanes();
  const int right = kQuarterSide * lanes();
  const Words top_left = quarter_sum(group.at), bottom_left = quarter_sum(below),
              top_right = quarter_sum(group.at + right), bottom_right = quarter_sum(below + right);
  const Words total = hn::Add(hn::Add(top_left, bottom_left), hn::Add(top_right, bottom_right));
  const Floats mean = hn::Mul(hn::ConvertTo(d, total), hn::Set(d, 1.0F / kBlockSamples));
  const auto quarter_mean = [&](Words sum) HWY_ATTR {
    return hn::Mul(hn::ConvertTo(d, sum), hn::Set(d, 1.0F / kQuarterSamples));
  };
  Floats all = hn::Zero(d), q0 = all, q1 = all, q2 = all, q3 = all;
  add_rows(group.at, mean, quarter_mean(top_left), quarter_mean(top_right), all, q0, q2);
  add_rows(below, mean, quarter_mean(bottom_left), quarter_mean(bottom_right), all, q1, q3);
  const Floats variance = hn::Mul(all, hn::Set(d, kBlockVariance)), scale = hn::Set(d, kQuarterVariance);
  const Floats quarters = hn::Add(
      hn::Add(hn::Add(hn::Mul(q0, scale), hn::Mul(q1, scale)), hn::Mul(q2, scale)), hn::Mul(q3, scale));
  const auto varies = hn::Gt(variance, hn::Zero(d));
  return hn::IfThenElseZero(varies, hn::Div(quarters, hn::IfThenElse(varies, variance, hn::Set(d, 1))));
}

// mask_of() of each lane; leaves the transforms in place of the blocks.
Floats mask_of(BlockGroup& group, const Weights& weights, OrderedSum& ordered) {
  const F32 d;
  const S32 words;
  const Floats detail = detail_of(group);
  transform_group(group, ordered);
  Floats sum = hn::Zero(d);
  for (int i = 1; i < kBlockSamples; ++i) {
    const Words coefficient = hn::Load(words, group.at + i * lanes());
    const Floats square = hn::ConvertTo(d, hn::Mul(coefficient, coefficient));
    sum = hn::Add(sum, hn::Mul(square, hn::Set(d, weights.masking[i])));
  }
  return hn::Mul(hn::Sqrt(hn::Mul(sum, detail)), hn::Set(d, kMaskScale));
}

// visible() of each lane, for all frequencies.
void make_terms(const BlockGroup& a, const BlockGroup& b, Floats mask, const Weights& weights, Terms& out) {
  const F32 d;
  const S32 words;
  for (int i = 0; i < kBlockSamples; ++i) {
    const int at = i * lanes();
    Floats error = hn::ConvertTo(d, hn::Abs(hn::Sub(hn::Load(words, a.at + at), hn::Load(words, b.at + at))));
    if (i != 0) {
      const Floats hidden = hn::Div(mask, hn::Set(d, weights.masking[i]));
      error = hn::IfThenZeroElse(hn::Lt(error, hidden), hn::Sub(error, hidden));
    }
    const Floats weighted = hn::Mul(error, hn::Set(d, weights.contrast[i])),
                 term = hn::Mul(weighted, weighted);
    hn::Store(term, d, out.at + at);
    uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Gt(term, hn::Zero(d)), bits);
    for (int k = 0; k < kMostLanes / 8; ++k) out.present[k][i] = bits[k];
  }
}

float error_sum(const Samples& a, const Samples& b, const Weights& weights, Bands& bands) {
  HWY_DASSERT(a.view.width() == b.view.width() && a.view.height() == b.view.height());
  const int across = blocks_along(a.view.width()), down = blocks_along(a.view.height());
  BlockGroup group_a, group_b;
  Terms terms;
  OrderedSum sum;
  for (int y = 0; y < down; ++y) {
    fill_band(a, kBlockStep * y, bands.of(0));
    fill_band(b, kBlockStep * y, bands.of(1));
    for (int x = 0; x < across; x += lanes()) {
      gather_blocks(bands.of(0), kBlockStep * x, group_a);
      gather_blocks(bands.of(1), kBlockStep * x, group_b);
      const Floats mask_a = mask_of(group_a, weights, sum), mask_b = mask_of(group_b, weights, sum);
      make_terms(group_a, group_b, hn::Max(mask_a, mask_b), weights, terms);
      sum.take(terms, std::min(lanes(), across - x));
    }
  }
  return sum.finish();
}

}  // namespace vq::psnr_hvs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::psnr_hvs, error_sum)
#endif  // HWY_ONCE
