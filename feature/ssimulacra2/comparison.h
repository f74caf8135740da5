// The comparison of a picture with its reference at one scale, as rows of the picture come.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "feature/ssimulacra2/plan.h"

namespace vq::ssimulacra2 {

// A picture of light at one scale, as rows come: it keeps the latest rows of X, Y and B, also blurred along
// rows, and halves rows for the next scale.

// For one thread, one picture after another.
class PictureScale {
 public:
  // Keeps `rows` rows. The scale outlives this. Throws std::bad_alloc.
  PictureScale(const Stages& stages, const ScalePlan& scale, bool is_last, int rows);
  static int64_t bytes(PlaneSize size, int rows);

  // Before the first row of a picture.
  void start() { pushed_ = 0; }
  // The next row, with guards. It stays as it is until the row after the next is pushed. Returns the row of
  // the next scale that is complete with it, valid until two more are; none if there is none, or no next
  // scale.
  std::optional<LightRow> push(const LightRow& row);
  // After the last row: the row of the next scale that only half a pair of rows is there for.
  std::optional<LightRow> finish();

  int pushed() const { return pushed_; }
  // Need: the scale needs the channel; the row is one of the latest.
  const float* xyb(size_t channel, int y) const { return channels_[channel].xyb.row(y % rows_); }
  const float* blurred(size_t channel, int y) const { return channels_[channel].blurred.row(y % rows_); }

 private:
  struct Channel {
    Plane<float> xyb, blurred;  // empty if the channel is not needed
  };

  LightRow halved(const LightRow& upper, const LightRow& lower);

  const Stages stages_;
  const ScalePlan& scale_;
  const int rows_;
  std::array<Channel, kChannels> channels_;
  Plane<float> halved_;  // two rows of each component, in turn; empty for the last scale
  int pushed_ = 0;
  LightRow before_ = {};  // the row before
};

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
