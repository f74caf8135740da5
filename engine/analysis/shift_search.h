// Search for matching frames of two videos by their signatures. docs/alignment.md has the rules.
#pragma once

#include "engine/analysis/signature.h"

namespace vq {

// A signature without brightness and contrast, so that filters and fades of the whole picture have no effect:
// the levels less their mean, divided by their standard deviation. If that is below two levels of 8-bit
// video, there is nothing to compare, since noise would be amplified to a picture.
struct Pattern {
  std::array<int16_t, kSignatureCells> values = {};
  int32_t square = 0;       // sum of the squares
  double noise = 0;         // expected squared difference of equal pictures after coding and rounding
  double mean = 0;          // of the levels
  double unit = 0;          // by which they were multiplied
  bool is_present = false;  // has enough contrast to compare
};
Pattern pattern_of(const Signature& signature);
// The squared difference. It is the sum of both squares if they are alike by chance alone.
double difference(const Pattern& a, const Pattern& b);

// Consecutive frames, starting with this number.
struct PatternRun {
  int64_t first = 0;
  std::span<const Pattern> frames;

  int64_t end() const { return first + static_cast<int64_t>(frames.size()); }
  const Pattern& at(int64_t number) const { return frames[static_cast<size_t>(number - first)]; }
};

// A video that is N frames late shows in frame t what the reference shows in frame t - N; N is its shift.
// The error of a shift is the mean over all frames of the squared difference of the patterns, less the part
// that is the same in every frame (a logo, bars, other scaling). A frame without a counterpart counts as one
// that matches by chance.
struct BlockShifts {
  // The shift of each frame: the path that minimises the sum of differences and of a penalty per change of
  // shift, if frames between two changes differ at most half as much as with either neighbour's shift. Shift
  // 0 stands for the expected one, which the path keeps without clear evidence for another.
  std::vector<int> path;
  double path_error = 0;
  bool is_decided = false;  // most other shifts have at least twice the error, or there are certain changes
  // The rest are sums over frames, so that blocks can be added.
  std::vector<double> errors;  // of the shifts -window..window
  // For parts of the path with one shift: the error of each other shift and of that one, over frames that
  // have a counterpart with both. If these are less than half of all, frames without a counterpart count as
  // above.
  std::vector<double> compared, own;
  double variance = 0;    // expected error of unrelated pictures
  double unlikeness = 0;  // along the path; 0: the same pictures, 1: as if picked by chance
  int64_t frames = 0;     // number of compared frames along the path
};

// Needs: window >= 1, and at least one frame in both.
BlockShifts search_block(const PatternRun& reference, const PatternRun& distorted, int window);

}  // namespace vq
