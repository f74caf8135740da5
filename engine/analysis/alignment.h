// Temporal alignment of two videos: the number of frames by which one is late, and frames that were dropped
// or repeated.
#pragma once

#include <map>

#include "engine/analysis/shift_search.h"
#include "engine/request.h"

namespace vq {

// Shifts are searched within this distance of the last one found.
inline constexpr int kDefaultShiftWindow = 60;
// Minimum number of frames with content; fewer cannot distinguish a shift from chance.
inline constexpr int64_t kLeastAlignedFrames = 12;

// Consecutive frames of the distorted video with the same shift.
struct ShiftPart {
  int64_t first = 0;  // number of the frame
  int64_t frames = 0;
  int shift = 0;
  bool operator==(const ShiftPart&) const = default;
};

struct Alignment {
  std::vector<ShiftPart> parts;  // all frames; neighbouring parts differ in shift
  int shift = 0;                 // the most frequent one
  // 1 - error of that shift / error of the next best. 0: undecidable, 1: no other shift agrees at all.
  double confidence = 0;
  // The same against shift 0 alone: whether there is a shift, however large. 0 if that is the most frequent
  // one.
  double confidence_of_any = 0;
  // The contiguous range of shifts around it whose error is at most twice the least.
  int least = 0, most = 0;
  double likeness = 0;  // 1: the same pictures, 0: unrelated pictures
  int64_t frames = 0;   // number of compared frames

  // The shift of the kLeastAlignedFrames-th frame: the shift at the start of the videos, disregarding the
  // first frame or two.
  int first_shift() const;
  // Whether the shift is certain: docs/alignment.md.
  bool is_certain() const;
  bool is_shifted() const { return is_certain() && shift != 0; }
  // Whether frames were certainly dropped or repeated in the distorted video.
  bool is_uneven() const { return is_certain() && parts.size() > 1; }
  // Whether a filter cannot have caused what is certain: docs/alignment.md.
  bool is_plain() const;
  // Whether these appear to be different videos.
  bool is_foreign() const;
};

// A place if the distorted video lacks frames, or repeats them.
struct ShiftChange {
  int64_t frame = 0;                  // of the distorted video, the first after the change
  int64_t dropped = 0, repeated = 0;  // one of them is 0
};
std::vector<ShiftChange> changes_of(const Alignment& alignment);

class AlignmentFinder {
 public:
  // Needs: window >= 1.
  explicit AlignmentFinder(int window = kDefaultShiftWindow);

  // Frames in order; missing numbers are lost frames. Both videos begin at number 0, or at the first number
  // added for either.
  void add_reference(int64_t number, const Signature& signature) { add(reference_, number, signature); }
  void add_distorted(int64_t number, const Signature& signature) { add(distorted_, number, signature); }

  // The result of all complete blocks of frames. Nothing may be added after finish().
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
  // Blocks whose frames all have the same shift, and the errors of the shifts around it.
  struct Uniform {
    // over frames that have a counterpart with both shifts, this one and their own
    std::vector<double> errors, own;
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
  int64_t done_ = 0;  // the next frame without a shift
  bool has_begun_ = false, has_decided_ = false;
  int centre_ = 0;  // the last shift found, the centre of the next search
  std::vector<ShiftPart> parts_;
  std::map<int, Uniform> uniform_;
  double path_error_ = 0, unlikeness_ = 0;
  std::vector<double>
      errors_;  // of the shifts -window..window, over all blocks; invalid once the centre has moved
  int64_t compared_ = 0;
  int64_t searched_ = 0;  // with the frames of context
};

// Temporal alignment in words.

// "+3", "0", "-2".
std::string shift_text(int64_t shift);
// "3 frames late", "1 frame early". Needs: shift != 0.
std::string lateness(int64_t shift);
// "2 frames dropped (before frame 9 and 18) and 1 repeated (before frame 30)", with the first few places;
// empty if there are none.
std::string changes_text(const Alignment& alignment);

// Frames to skip of each video so that the first ones match, in addition to those skipped already.
Skips skips_for(int64_t shift, const Skips& now);

}  // namespace vq
