// Detection of full range against limited range between two videos, independent of their tags.
#pragma once

#include <cstdint>

#include "engine/analysis/signature.h"

namespace vq {

// Fits a line through the cells of signatures: distorted = a + b
// * reference. If the tags are right, all are of limited range. Full-range samples that are read as limited
// make b 255/219, and black 0 instead of 16.
class RangeFinder {
 public:
  enum class Finding { kAlike, kDistortedIsFuller, kReferenceIsFuller };

  // The signatures of two matching frames.
  void add(const Signature& reference, const Signature& distorted);
  // kAlike also if undecidable.
  Finding finding() const;

 private:
  // Sums over levels of 8 bits.
  double count_ = 0, x_ = 0, y_ = 0, xx_ = 0, xy_ = 0, yy_ = 0;
};

}  // namespace vq
