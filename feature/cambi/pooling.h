// The exact sum of a scale's largest c-values, storing only those near the smallest of them.
#pragma once

#include <hwy/aligned_allocator.h>

#include <array>
#include <cstdint>
#include <vector>

#include "feature/cambi/plan.h"

namespace vq::cambi {

// A c-value in units of 2^-kSumFractionBits.
inline uint64_t in_units(float c_value) {
  return static_cast<uint64_t>(static_cast<double>(c_value) * (1 << kSumFractionBits));
}

// Sums the K largest of the c-values that are streamed through it, without storing all: values of at least
// `high` are summed, those from `low` up to `high` are stored or counted, and smaller ones are ignored. If
// the K-th largest is not between the bounds, they are moved and the values must be streamed again, at most
// three times.
// The bounds start around the K-th largest of the same scale of the previous picture, a few percent of the
// values apart, so similar pictures take one pass. Without a previous picture, a sample of the values
// estimates the K-th largest. Stored and sampled values affect the speed, never the sum.
// Bounds are bit patterns: those of non-negative floats sort as the floats do.
class Pooling {
 public:
  static constexpr int kSlots = 2 * kScales;

  // Where a c-value goes; see above. Values that equal the pivot, a bit pattern too, are not kept: those
  // between that were not kept are as many. Often many do equal the K-th largest.
  struct Bounds {
    uint32_t low = 1, high = 1, pivot = 0;
  };
  // Totals since the bounds were set. Sums are in units of 2^-kSumFractionBits; the sum of the values between
  // is only needed if they are not kept.
  struct Tally {
    int64_t above = 0, between = 0;
    ExactSum sum_above = 0, sum_between = 0;
  };

  // For scales of up to `samples` samples. Throws std::bad_alloc.
  explicit Pooling(int64_t samples);
  static int64_t bytes(int64_t samples);

  // Begins pooling the `count` largest of a scale, count at least 1. What is remembered of a slot, 0 to
  // kSlots - 1, is of use to the same scale of the same video's next picture.
  void start(int slot, int64_t count);
  // Whether the K-th largest value cannot be estimated, so that a sample of the values may save a pass.
  bool wants_sample() const { return pass_ == Pass::kCoarse && !sampled_; }
  // Needs: wants_sample(). Between these two calls only the sample is streamed, `share` of all values, 0 to
  // 1; after them all values.
  void begin_sample(double share);
  void end_sample();
  // After all values were added: whether sum() is known. If not, all values must be added once more.
  bool finish();
  ExactSum sum() const { return sum_; }

  // For the pool stage.
  const Bounds& bounds() const { return bounds_; }
  Tally& tally() { return tally_; }
  // Whether values between the bounds are to be stored, except those equal to the pivot; otherwise they are
  // counted.
  bool keeps() const { return pass_ == Pass::kKeep; }
  void count(uint32_t bits) { ++table_[(bits - bounds_.low) >> shift_]; }
  // Stored values are written from `next` up to `end`, where a last whole vector still fits. Values beyond
  // that are dropped, and if `end` is reached the pass has failed.
  struct Kept {
    float *next, *end;
  };
  Kept kept() { return {kept_.get() + num_kept_, kept_.get() + capacity_}; }
  void set_kept(const float* next) { num_kept_ = next - kept_.get(); }

 private:
  // kEvery: no more than K are greater than zero. kKeep: bounds that were guessed. kCoarse: all values are
  // counted in bins. kBin: those of the K-th largest's bin are counted one by one.
  enum class Pass { kEvery, kKeep, kCoarse, kBin };
  struct Guess {
    Pass pass = Pass::kCoarse;
    Bounds bounds;
    int64_t expected = 0;  // values between, from the K-th largest up, where nothing moves
  };
  static const Guess kUnknown, kEveryValue;

  void begin(const Guess& guess);
  Guess& remembered() { return guesses_[slot_]; }
  int64_t& margin() { return margins_[slot_]; }
  int64_t num_pivots() const { return tally_.between - num_kept_; }
  uint32_t num_bins() const;
  void clear_table();
  void count_kept();
  uint32_t bin_of(int64_t rank) const;
  Guess guess_around(int64_t rank, int64_t margin) const;
  void settle_margin(int64_t missing);
  void remember(int64_t rank);
  uint32_t take_kept(int64_t missing);
  bool finish_kept();
  bool finish_coarse();
  void finish_bin();

  int64_t capacity_;  // of kept_
  std::array<Guess, kSlots> guesses_;
  std::array<int64_t, kSlots> margins_;  // 0: none yet
  size_t slot_ = 0;
  int64_t count_ = 1;
  bool sampled_ = false;  // since start()
  double share_ = 0;      // of the sample
  Pass pass_ = Pass::kCoarse;
  Bounds bounds_;
  Tally tally_;
  ExactSum sum_ = 0;
  int shift_ = 0;
  std::vector<uint32_t> table_;              // [distance from low >> shift_]
  hwy::AlignedFreeUniquePtr<float[]> kept_;  // not set to zero: takes only the memory that is used
  int64_t num_kept_ = 0;
  std::vector<float> in_bin_;
};

}  // namespace vq::cambi
