// Which frames of a run are scored: those of a sample, and those of two videos that show at one time.
#pragma once

#include "core/frame.h"
#include "engine/analysis/shift_search.h"
#include "engine/request.h"

namespace vq {

// One frame of each group of `every` that follow each other, from the first frame of the range on.
struct Sampling {
  int64_t every = 1;
  // The first of each group, or one whose place within it is another in each: docs/sampling.md.
  bool is_spread = false;

  bool takes(int64_t position) const { return position % every == place_in(position / every); }
  // How many of the first so many frames.
  int64_t count_of(int64_t frames) const;
  // The most frames from one that is taken to the next.
  int64_t longest_step() const { return is_spread ? 2 * every - 1 : every; }
  std::string text() const;  // "4", "4:spread"

 private:
  int64_t place_in(int64_t group) const;
};

// Counts frames by picture type.
class SampledTypes {
 public:
  using Counts = std::array<int64_t, kPictureTypes>;
  struct State {
    Counts all = {}, scored = {};
    bool operator==(const State&) const = default;
  };

  void look(PictureType type, bool is_scored);
  const State& state() const { return state_; }
  // Adds the counts of another.
  void add(const State& other);
  // A warning if one type is more frequent among the scored frames of the video than among all of them,
  // beyond what chance explains.
  std::optional<Diagnostic> remark(const std::string& video, const Sampling& sampling) const;

 private:
  State state_;
};

// Pairing by time: for each frame of one video, the frame of another that shows the same picture at that
// time.

// Differences of times below this are taken for rounding to a container's clock, in seconds.
inline constexpr double kClockTie = 0.001;

class NearestFrames {
 public:
  // A frame with its time in seconds, as this compares it, and its thumbnail.
  struct TimedFrame {
    Frame frame;
    double time = 0;
    Pattern pattern = {};
  };
  // The next frame of the video; times ascend. Nothing at its end.
  using Next = std::function<std::optional<TimedFrame>()>;

  // Frames that are compared with one of the other video are at most this many before or behind the nearest.
  static constexpr size_t kReach = 4;
  static constexpr int64_t kHeld = 2 * kReach + 1;  // maximum number of frames in memory

  // A frame is shown for `frame_seconds`, or as long as the step before it if that is 0; the last one for the
  // longer of both.
  NearestFrames(Next next, double frame_seconds) : next_(std::move(next)), frame_seconds_(frame_seconds) {}

  struct Match {
    const Frame* frame = nullptr;  // valid until the next call; null: the video ends before that time
    int64_t from_nearest = 0;      // its number less that of the frame nearest in time
    bool is_alike = true;          // false: no frame near that time shows this picture, or two show parts
  };
  // The frame for one of the other video at `time` that looks like `shown` and is shown for `seconds`. It is
  // the frame nearest in time, of two equally near the earlier one, unless another is plainly more alike: at
  // most half as different, beyond what coding does. Then that one is taken, and of equally similar ones
  // the nearest in time. Looked at are frames within two and a half of the longer frame's durations. Never a
  // frame before the last match. Needs: times that ascend. Throws what `next` throws.
  Match at(double time, double seconds = 0, const Pattern& shown = {});
  // Whether it shows a frame at that time or later that was not a match yet. Needs: as at().
  bool goes_on_at(double time);

  int64_t repeated() const { return repeated_; }  // number of matches that were also the one before
  // Number of frames before the last match that were none, and before the time that goes_on_at() asked for.
  int64_t unused() const { return unused_; }

 private:
  void read();
  void read_around(double time, double reach);
  size_t nearest_to(double time) const;
  // Place in held_ of the first frame that may be the next match.
  size_t oldest() const { return static_cast<size_t>(std::max<int64_t>(0, last_ - first_)); }
  int64_t last_read() const { return first_ + static_cast<int64_t>(held_.size()) - 1; }
  // A frame that may be a match: its place in held_, and its distances in time and as Pattern.
  struct Candidate {
    size_t place = 0;
    double distance = 0, difference = 0;
  };
  std::vector<Candidate> candidates(size_t nearest, double time, double reach, const Pattern& shown) const;
  bool fits_none(const std::vector<Candidate>& all, const Candidate& best, const Pattern& shown) const;
  size_t most_alike(size_t nearest, double time, double reach, const Pattern& shown, bool& is_alike) const;

  const Next next_;
  const double frame_seconds_;
  double step_ = 0;                // between the last two frames read
  std::deque<TimedFrame> held_;    // those around the last match; before it without samples
  int64_t first_ = 0, last_ = -1;  // numbers of the first of them and of the last match
  bool has_ended_ = false;
  bool is_late_ = false;  // the last match is before the frame nearest in time
  int64_t repeated_ = 0, unused_ = 0;
};

}  // namespace vq
