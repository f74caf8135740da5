// The sum of visible errors over groups of blocks, in the order of blocks. Included once for each SIMD
// target.
#if defined(VQ_PSNR_HVS_ORDERED_SUM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_PSNR_HVS_ORDERED_SUM_INL_H
#undef VQ_PSNR_HVS_ORDERED_SUM_INL_H
#else
#define VQ_PSNR_HVS_ORDERED_SUM_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

#include "feature/psnr_hvs/stages.h"
#include "feature/psnr_hvs/transform-inl.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::psnr_hvs {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What is seen of the differences of a group.
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
  // Those of the next block.
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

}  // namespace HWY_NAMESPACE
}  // namespace vq::psnr_hvs
HWY_AFTER_NAMESPACE();
#endif  // HWY_TARGET != HWY_SCALAR

#endif  // ORDERED_SUM toggle
