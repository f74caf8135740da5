// Facts that pictures show of their format: the area inside black bars, bars that only one video of a pair
// has, and the range and depth of samples.
#pragma once

#include "core/frame.h"
#include "engine/analysis/signature.h"
#include "feature/active_area.h"
#include "feature/feature.h"

namespace vq {

// The area that was lit in any of the pictures, as fractions of the sides.
struct LitShares {
  double left = 1, top = 1, right = 0, bottom = 0;
};

// The area that was lit in any picture, by each of the two criteria below.
struct BarsSeen {
  ActiveArea lit = {}, plainly = {};
  bool operator==(const BarsSeen&) const = default;
};

// Bars seen in the two frames of this number, and before.
struct LookedBars {
  int64_t frame = 0;
  BarsSeen reference = {}, distorted = {};
  bool operator==(const LookedBars&) const = default;
};

// Examines pictures by two criteria: slightly above black, and clearly above black.
class BarFinder {
 public:
  // `execution` says how to count; results do not depend on it.
  explicit BarFinder(const VideoFormat& format, const Execution& execution = {});

  // Returns whether the picture shows anything.
  bool look(const Frame& frame);
  BarsSeen seen() const { return {lit_, plainly_}; }
  // Adds what another BarFinder has seen.
  void add(const BarsSeen& other);
  // Whether the whole picture is lit, so that no bars can be found any more.
  bool is_whole() const;
  // Nothing if no picture was lit so far.
  std::optional<LitShares> lit() const { return shares_of(lit_); }
  std::optional<LitShares> plainly_lit() const { return shares_of(plainly_); }
  // The picture inside the bars, reduced to multiples of the chroma subsampling and to even edges.
  // Compression lights rows of a bar next to the picture: if only a few rows separate the lit from the
  // clearly lit area, they belong to the bar. Nothing if nothing was lit so far.
  std::optional<Rectangle> picture() const;
  // The same, but nothing if it is less than half the picture's width or height: too little was lit to
  // distinguish bars from a dark scene.
  std::optional<Rectangle> active_area() const;

 private:
  friend std::optional<Rectangle> shown_by_both(const BarFinder& a, const BarFinder& b);
  static void add(ActiveArea& all, const ActiveArea& lit);
  std::optional<LitShares> shares_of(const ActiveArea& area) const;
  bool is_too_little(const Rectangle& area) const {
    return area.width * 2 < width_ || area.height * 2 < height_;
  }

  const int width_, height_;
  const int step_x_, step_y_;  // step between possible edges
  const LitRule lit_rule_, plain_rule_;
  const CountLit count_lit_;
  NonBlackCounts counts_;
  ActiveArea lit_, plainly_;
};

// "black bars differ: ..." if one of the videos has content if the other has bars; nothing otherwise, or if
// undecidable. A bar must exceed the area that is not clearly lit in the other video by 2 % of the side, so
// that a dark scene made darker by compression does not count.
std::optional<std::string> difference_of_bars(const BarFinder& reference, const BarFinder& distorted);

// Whether such bars are on two opposite sides, as added or removed bars are; text in the bars is not.
bool have_bars_on_both_sides(const BarFinder& reference, const BarFinder& distorted);

// The area inside the bars of both videos of one size; nothing if it is empty or the sizes differ.
std::optional<Rectangle> shown_by_both(const BarFinder& a, const BarFinder& b);

// Whether the frame of this number is examined for bars: 0, 1, 2, 4, 8, ..., so that the cost is negligible.
bool is_looked_at_for_bars(int64_t number);

// Detection of full range against limited range between two videos, independent of their tags, and of
// contrast or brightness that was changed.

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

  // The depth of the material if the low bits of no sample ever differed from those of the others, though
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
