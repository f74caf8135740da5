// How two videos lie against each other in time: by how many frames one is late, and where frames were
// dropped or repeated.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "engine/analysis/shift_search.h"

namespace vq {

// Shifts are looked for this far to either side of the last that was found.
inline constexpr int kDefaultShiftWindow = 60;
// Fewer frames that show anything are too few to tell chance from a shift.
inline constexpr int64_t kLeastAlignedFrames = 12;

// Frames of the distorted video that follow each other with one shift.
struct ShiftPart {
  int64_t first = 0;  // number of the frame
  int64_t frames = 0;
  int shift = 0;
  bool operator==(const ShiftPart&) const = default;
};

struct Alignment {
  std::vector<ShiftPart> parts;  // all frames; neighbours differ in shift
  int shift = 0;                 // of most frames
  // 1 - error of that shift / error of the next best: 0: cannot be told, 1: nothing else agrees at all.
  double confidence = 0;
  // Shifts whose error is at most twice the least, as far as they go on from each other.
  int least = 0, most = 0;
  double likeness = 0;  // 1: the same pictures, 0: none of them alike
  int64_t frames = 0;   // that were compared

  // Of the kLeastAlignedFrames-th frame: with which the videos begin, but for a frame or two.
  int first_shift() const;
  // Whether the shift is beyond doubt: docs/alignment.md.
  bool is_certain() const;
  bool is_shifted() const { return is_certain() && shift != 0; }
  // Frames dropped or repeated in the distorted video, beyond doubt.
  bool is_uneven() const { return is_certain() && parts.size() > 1; }
  // Whether these are different videos, as far as can be told.
  bool is_foreign() const;
};

// Frames that the distorted video lacks before one of its own, or has twice.
struct ShiftChange {
  int64_t frame = 0;                  // of the distorted video, the first behind it
  int64_t dropped = 0, repeated = 0;  // one of them is 0
};
std::vector<ShiftChange> changes_of(const Alignment& alignment);

class AlignmentFinder {
 public:
  // Needs: window >= 1.
  explicit AlignmentFinder(int window = kDefaultShiftWindow);

  // Frames in order; numbers that are left out are of frames that are lost. Both videos begin at number 0, or
  // with the first number that was given for either.
  void add_reference(int64_t number, const Signature& signature) { add(reference_, number, signature); }
  void add_distorted(int64_t number, const Signature& signature) { add(distorted_, number, signature); }

  // What the blocks of frames say that are complete. Nothing more can be added after finish().
  Alignment so_far() const;
  Alignment finish();
  int64_t frames_searched() const { return done_; }

 private:
  struct Frames {
    int64_t first = 0;  // of those kept
    std::deque<Pattern> kept;
    bool has_begun = false;
    int64_t end() const { return first + static_cast<int64_t>(kept.size()); }
  };
  // Of blocks whose frames all have the same shift; errors of the shifts around that.
  struct Uniform {
    std::vector<double> errors, own;  // over frames that have a counterpart with that shift or with their own
  };

  void add(Frames& frames, int64_t number, const Signature& signature);
  void search_ready();
  void search(int64_t end, int64_t context_end);
  void take(const BlockShifts& block, int64_t first, int64_t end);
  void take_errors(const BlockShifts& block);
  void forget();
  void judge(Alignment& alignment) const;

  const int window_;
  Frames reference_, distorted_;
  int64_t done_ = 0;  // the next frame to be given a shift
  bool has_begun_ = false, has_decided_ = false;
  int centre_ = 0;  // the last shift found, around which the next are looked for
  std::vector<ShiftPart> parts_;
  std::map<int, Uniform> uniform_;
  double path_error_ = 0, unlikeness_ = 0;
  std::vector<double>
      errors_;  // of the shifts -window..window of all blocks; of no use once the centre moved
  int64_t compared_ = 0;
  int64_t searched_ = 0;  // with the frames of context
};

}  // namespace vq
