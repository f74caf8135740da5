// Which frame of one video shows what a frame of another shows, by their signatures. docs/alignment.md tells
// the rules.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/analysis/signature.h"

namespace vq {

// A signature without its brightness and contrast, so that what a filter or a fade does to all of a picture
// counts for nothing: the levels less their mean, over their standard deviation. Where that is below two
// levels of 8-bit video there is nothing to compare: noise would be made as large as a picture.
struct Pattern {
  std::array<int16_t, kSignatureCells> values = {};
  int32_t square = 0;       // the sum of their squares
  double noise = 0;         // of the squares of differences: what coding and rounding make of equal pictures
  bool is_present = false;  // there is something to compare
};
Pattern pattern_of(const Signature& signature);

// Frames that follow each other, the first of them with this number.
struct PatternRun {
  int64_t first = 0;
  std::span<const Pattern> frames;

  int64_t end() const { return first + static_cast<int64_t>(frames.size()); }
  const Pattern& at(int64_t number) const { return frames[static_cast<size_t>(number - first)]; }
};

// A video that is N frames late shows in frame t what the reference shows in frame t - N; N is its shift.
//
// The error of a shift is the mean over all frames of the squared difference of the patterns, less what of it
// is the same in every frame (a logo, bars, other scaling). A frame without a counterpart counts as one that
// matches by chance.
struct BlockShifts {
  // Of each frame: those that make the sum of differences and of a penalty for every change of shift least,
  // where frames between two changes differ at most half as much as with the shift of either neighbour.
  // The shift 0 stands for the one that is expected; without plain evidence for another the path has that.
  std::vector<int> path;
  double path_error = 0;
  bool is_decided =
      false;  // most other shifts have at least twice the error, or there are changes beyond doubt
  // The rest: sums over frames, so that those of blocks add up.
  std::vector<double> errors;  // of the shifts -window..window
  // Where the path has one shift: the errors of each other shift and of that one, over the frames that have a
  // counterpart with both. Where these are less than half of all, frames without one count as above.
  std::vector<double> compared, own;
  double variance = 0;    // errors of pictures that have nothing to do with each other are about so large
  double unlikeness = 0;  // 0: the same pictures; 1: as if picked by chance; along the path
  int64_t frames = 0;     // that are compared along the path
};

// Needs: window >= 1, and at least one frame in both.
BlockShifts search_block(const PatternRun& reference, const PatternRun& distorted, int window);

}  // namespace vq
