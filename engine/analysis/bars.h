// Finds black bars: the part of the picture within them, and bars that only one video of a pair has.
#pragma once

#include <optional>
#include <string>

#include "core/frame.h"
#include "core/rectangle.h"
#include "feature/active_area.h"
#include "feature/feature.h"

namespace vq {

// What was lit in any of some pictures of a video, as shares of its sides.
struct LitShares {
  double left = 1, top = 1, right = 0, bottom = 0;
};

// What of all pictures together is lit by either idea below.
struct BarsSeen {
  ActiveArea lit = {}, plainly = {};
  bool operator==(const BarsSeen&) const = default;
};

// Looks at pictures with two ideas of what is lit: a little above black, and plainly above it.
class BarFinder {
 public:
  // `execution` says how to count; the figures do not depend on it.
  explicit BarFinder(const VideoFormat& format, const Execution& execution = {});

  // True where the picture shows anything.
  bool look(const Frame& frame);
  BarsSeen seen() const { return {lit_, plainly_}; }
  // As if this had looked at what somebody else did.
  void add(const BarsSeen& other);
  // No bars can be found any more.
  bool is_whole() const;
  // Nothing where no picture was lit so far.
  std::optional<LitShares> lit() const { return shares_of(lit_); }
  std::optional<LitShares> plainly_lit() const { return shares_of(plainly_); }
  // What is not bars, within them to where samples of chroma begin, and to even edges at least. Compression
  // lights rows of a bar next to the picture, so where few rows lie between those that are lit and those that
  // plainly are, the bar has them. Nothing where nothing was lit so far.
  std::optional<Rectangle> picture() const;
  // The same, but nothing where that is less than half the picture's width or height: too little was lit to
  // tell bars from a dark scene.
  std::optional<Rectangle> active_area() const;

 private:
  friend std::optional<Rectangle> shown_by_both(const BarFinder& a, const BarFinder& b);
  static void add(ActiveArea& all, const ActiveArea& lit);
  std::optional<LitShares> shares_of(const ActiveArea& area) const;
  bool is_too_little(const Rectangle& area) const {
    return area.width * 2 < width_ || area.height * 2 < height_;
  }

  const int width_, height_;
  const int step_x_, step_y_;  // between possible edges
  const LitRule lit_rule_, plain_rule_;
  const CountLit count_lit_;
  NonBlackCounts counts_;
  ActiveArea lit_, plainly_;
};

// "black bars differ: ..." where one of the videos shows something where the other has bars, and nothing
// where that cannot be told. A bar counts where it takes 2 % more of the side than whatever is not plainly
// lit in the other video, so that a dark scene that compression made darker is none.
std::optional<std::string> difference_of_bars(const BarFinder& reference, const BarFinder& distorted);

// What is not bars in either of two videos of one size; nothing where that is nothing, or the sizes differ.
std::optional<Rectangle> shown_by_both(const BarFinder& a, const BarFinder& b);

// Whether bars are looked for in the frame of this number: in 0, 1, 2, 4, 8, ..., so that it costs nothing.
bool is_looked_at_for_bars(int64_t number);

}  // namespace vq
