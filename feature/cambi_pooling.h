// The exact sum of a scale's largest c-values, of which only a narrow band is ever remembered.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "feature/cambi.h"

namespace vq::cambi {

// Sums the K largest of the c-values that are streamed through it, without keeping them: those at least
// `high` are summed; those from `low` up to `high` are counted by value; smaller ones count nothing. Where
// the K-th largest turns out not to lie between the bounds, they are moved and the values must be streamed
// again, at most twice. The bounds start where the same scale of the picture before had them, so pictures
// that resemble one another take one pass. What is remembered changes the speed, never the sum.
//
// Bounds are bit patterns: those of floats that are not negative sort as the floats do.
class Pooling {
 public:
  // Where a c-value goes; see above. `shift` drops low bits of its distance from `low`.
  struct Bounds {
    uint32_t low = 1, high = 1;
    int shift = 0;
  };
  // What was seen since the bounds were set. Sums are in units of 2^-kSumFractionBits.
  struct Tally {
    int64_t above = 0, between = 0;
    ExactSum sum_above = 0, sum_between = 0;
  };

  Pooling();
  static int64_t bytes();

  // Begins pooling the `count` largest of scale `scale`, count at least 1.
  void start(int scale, int64_t count);
  // After all values were added: whether sum() is known. If not, all values must be added once more.
  bool finish();
  ExactSum sum() const { return sum_; }

  // For the pool stage.
  const Bounds& bounds() const { return bounds_; }
  Tally& tally() { return tally_; }
  uint32_t* counters() { return counters_.data(); }

 private:
  enum class Pass { kAll, kCoarse, kFine };
  void begin(Pass pass, Bounds bounds);
  void begin_fine(uint32_t bits);
  bool select();
  bool finish_coarse();

  std::array<uint32_t, kScales> guesses_;  // bits of the K-th largest; kEveryValue, kUnknown
  int scale_ = 0;
  int64_t count_ = 1;
  Pass pass_ = Pass::kCoarse;
  Bounds bounds_;
  Tally tally_;
  ExactSum sum_ = 0;
  std::vector<uint32_t> counters_;
};

}  // namespace vq::cambi
