// The comparison of a picture with its reference at one scale, as rows of the picture come.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "feature/ssimulacra2/picture_scale.h"

namespace vq::ssimulacra2 {

// For one thread, one pair after another.
class ScaleComparison {
 public:
  // `reference` has the reference at this scale. It and the scale outlive this. `with_local`: keep
  // CompareOutput::local of all samples. Throws std::bad_alloc.
  ScaleComparison(const Stages& stages, const ScalePlan& scale, const PictureScale& reference, bool is_last,
                  bool with_local);
  static int64_t bytes(PlaneSize size, bool with_local);

  // Before the first row of a picture.
  void start();
  // As those of PictureScale, for rows of the distorted picture. Need: the reference has been pushed at least
  // as many rows, and keeps kWindow of them up to this one.
  std::optional<LightRow> push(const LightRow& row);
  std::optional<LightRow> finish();

  // Valid after finish().
  ScaleTotals totals() const;
  PlaneView<const float> local() const { return local_.view(); }

 private:
  // What both pictures are blurred for together.
  enum Mixed { kMixedSquares, kMixedDifference, kMixed };
  // What is kept of a channel that is needed.
  struct Channel {
    float* mixed_row(int which, int y) { return mixed.row(y % kWindow * kMixed + which); }

    Plane<float> mixed;                           // of the last kWindow rows
    std::array<Plane<float>, kSums> sums;         // kTile / 2 rows; empty for those that are not needed
    std::array<std::vector<float>, kSums> tiles;  // of all tiles so far
  };

  void compare(int y);
  void compare_channel(size_t channel, int y);
  void fold(Channel& channel, int used_rows);

  const Stages stages_;
  const ScalePlan& scale_;
  const PictureScale& reference_;
  PictureScale distorted_;
  std::array<Channel, kChannels> channels_;
  Plane<float> scratch_;  // for BlurScratch
  Plane<float> zeros_;    // a row outside the picture
  Plane<float> local_;
};

}  // namespace vq::ssimulacra2
