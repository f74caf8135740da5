// A picture of light at one scale, as rows come: it keeps the latest rows of X, Y and B, also blurred along
// rows, and halves rows for the next scale.
#pragma once

#include <array>
#include <optional>

#include "feature/ssimulacra2/plan.h"

namespace vq::ssimulacra2 {

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

}  // namespace vq::ssimulacra2
