// The comparison of two pictures of light at one scale, as rows come: it keeps what the blur reaches and the
// row before, and passes halved rows to the next scale.
#pragma once

#include <array>
#include <vector>

#include "feature/ssimulacra2/plan.h"

namespace vq::ssimulacra2 {

// Both pictures, the reference first.
inline constexpr size_t kPictures = 2;
using LightRows = std::array<LightRow, kPictures>;

// For one thread, one pair after another.
class ScaleComparison {
 public:
  // `next`: the next scale's; null for the last. The scale and `next` outlive this. `with_local`: keep
  // CompareOutput::local of all samples. Throws std::bad_alloc.
  ScaleComparison(const Stages& stages, const ScalePlan& scale, ScaleComparison* next, bool with_local);

  // Before the first row of a pair.
  void start();
  // The next row of both, with guards. It stays as it is until the row after the next is pushed.
  void push(const LightRows& rows);
  // After the last row; finishes the later scales, too.
  void finish();

  // Valid after finish().
  ScaleTotals totals() const;
  PlaneView<const float> local() const { return local_.view(); }

  static int64_t bytes(PlaneSize size, bool with_local);

 private:
  // What is kept of a channel that is needed.
  struct ChannelRows {
    float* picture(size_t which, int y) {
      return pictures.row(y % kWindow * static_cast<int>(kPictures) + static_cast<int>(which));
    }
    float* blurred_row(size_t quantity, int y) {
      return blurred.row(y % kWindow * static_cast<int>(kQuantities) + static_cast<int>(quantity));
    }

    Plane<float> pictures, blurred;               // of the last kWindow rows
    std::array<Plane<float>, kSums> sums;         // kTile / 2 rows; empty for those that are not needed
    std::array<std::vector<float>, kSums> tiles;  // of all tiles so far
  };

  void make_xyb(const LightRows& rows);
  void compare(int y);
  void compare_channel(size_t channel, int y);
  void fold(ChannelRows& rows, int used_rows);
  void pass_on(const LightRows& upper, const LightRows& lower);

  const Stages stages_;
  const ScalePlan& scale_;
  ScaleComparison* const next_;
  std::array<ChannelRows, kChannels> channels_;
  Plane<float> scratch_;  // for BlurScratch
  Plane<float> zeros_;    // a row outside the picture
  Plane<float> halved_;   // two rows of each component of each picture, in turn
  Plane<float> local_;
  int pushed_ = 0;
  LightRows before_ = {};  // the row before
};

}  // namespace vq::ssimulacra2
