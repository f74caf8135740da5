// Rows of decoded samples as the stages take them: chroma as often as luma, all of one depth.
#pragma once

#include "feature/ciede/plan.h"
#include "feature/ciede/stages.h"

namespace vq::ciede {

class SpreadRows {
 public:
  // Throws std::bad_alloc.
  explicit SpreadRows(int width) : samples_(width, kMaxPlanes) {}

  // Fills in row y of a frame of the width given; each sample of chroma is repeated for the luma that shares it.
  void fill(const Frame& frame, const Spread& spread, int y);
  // Valid until the next is filled in.
  SampleRow row(int bit_depth) const {
    return {samples_.row(0), samples_.row(1), samples_.row(2), samples_.width(), bit_depth};
  }

 private:
  Plane<uint16_t> samples_;
};

}  // namespace vq::ciede
