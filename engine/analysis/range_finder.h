// Whether two videos lie against each other as full range against limited, whatever their tags say.
#pragma once

#include <cstdint>

#include "engine/analysis/signature.h"

namespace vq {

// A line through the cells of signatures, which are of limited range if the tags are right: distorted = a + b
// * reference. Samples of full range that are read as limited make b 255/219, and black 0 in place of 16.
class RangeFinder {
 public:
  enum class Finding { kAlike, kDistortedIsFuller, kReferenceIsFuller };

  // Of two frames that belong together.
  void add(const Signature& reference, const Signature& distorted);
  // kAlike also where it cannot be told.
  Finding finding() const;

 private:
  // Of levels of 8 bits.
  double count_ = 0, x_ = 0, y_ = 0, xx_ = 0, xy_ = 0, yy_ = 0;
};

}  // namespace vq
