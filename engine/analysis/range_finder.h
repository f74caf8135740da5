// Detection of full range against limited range between two videos, independent of their tags, and of
// contrast or brightness that was changed.
#pragma once

#include <cstdint>
#include <optional>

#include "core/frame.h"
#include "engine/analysis/signature.h"

namespace vq {

// Fits a line through the cells of signatures: distorted = a + b
// * reference. If the tags are right, all are of limited range. Full-range samples that are read as limited
// make b 255/219, and black 0 instead of 16.
class RangeFinder {
 public:
  enum class Finding {
    kAlike,
    kDistortedIsFuller,
    kReferenceIsFuller,
    // of the distorted video
    kMoreContrast,
    kLessContrast,
    kBrighter,
    kDarker,
  };

  // The signatures of two matching frames.
  void add(const Signature& reference, const Signature& distorted);
  // kAlike also if undecidable.
  Finding finding() const;

 private:
  // Sums over levels of 8 bits.
  double count_ = 0, x_ = 0, y_ = 0, xx_ = 0, xy_ = 0, yy_ = 0;
};

// Notices video of few bits that is stored in more, such as 8-bit material in a 10-bit container.
class PaddedDepth {
 public:
  // Looks at a picture; cheap once the low bits were seen to vary.
  void look(const Frame& frame);

  // The depth of the material where the low bits of no sample ever differed from those of the others, though
  // higher ones did.
  std::optional<int> depth() const;

  struct State {
    uint16_t first = 0;      // sample
    uint16_t differing = 0;  // bits in which some sample differs from the first
    int bit_depth = 0;       // 0: nothing seen yet
    bool operator==(const State&) const = default;
  };
  const State& state() const { return state_; }
  // As if this had looked at what somebody else did.
  void add(const State& other);

 private:
  State state_;
};

}  // namespace vq
