// The frames of a run: pairs by number after skipping, or by time, cut to a range.
#pragma once

#include "cli/decoding/frame_reader.h"
#include "cli/inputs/run_options.h"
#include "engine/part_findings.h"
#include "engine/sampling.h"

namespace vq::cli {

// The frames of a run, or of its part with those that are read before it.
struct ReadRange {
  std::optional<VideoPosition> start = {}, end = {};
  int64_t frames = 0;  // at the most; 0: all
};

class PairReader {
 public:
  // `reference` may be null. `arguments.stop` is asked now and then while waiting for a frame.
  PairReader(std::unique_ptr<FrameReader> distorted, std::unique_ptr<FrameReader> reference,
             const RunOptions& arguments);

  // Called with every pair of the range, marked if it is not to be scored.
  void on_pair(std::function<void(const FramePair&)> look) { look_ = std::move(look); }

  // Asked before a pair of the range is used, in order; the range ends before the first that may not be.
  void bound(std::function<bool(int64_t frame)> may_use) { may_use_ = std::move(may_use); }
  // Stops reading, and drops the pictures that were decoded ahead. After that only functions about the pairs
  // that were read, and FrameReader::waited(), may be called.
  void close();

  // The next pair to be scored, marked if it is not to be reported; nothing at the end of the range, of a
  // video, or once it is stopped. Throws what reading throws, and Error{kInput} if skipping leaves nothing.
  // Begins to read ahead, as next() does at the latest. Throws Error{kResource}.
  void start();
  std::optional<FramePair> next();

  // After next() returned nothing: the video that ended before the other, if one did.
  ShorterVideo shorter() const { return shorter_; }

  // Under RunOptions::pairs_by_time, once next() returned nothing: how many frames fit a neighbour of the
  // nearest, and how many of the reference were compared several times or not at all. Otherwise empty.
  std::string pairing_note() const;
  // Then also: how many frames match none, and which. Empty if all do.
  std::string pairing_warning() const;

  FrameReader& distorted() { return *distorted_; }
  FrameReader* reference() { return reference_.get(); }
  int64_t pairs_read() const { return pairs_read_; }

 private:
  std::optional<FramePair> next_pair();
  std::optional<FramePair> next_by_time();
  std::optional<NearestFrames::TimedFrame> next_timed(FrameReader& video, std::optional<double>& origin);
  void count_match(int64_t frame);
  bool reaches(const Frame& frame, const VideoPosition& position) const;
  double time_of(const Frame& frame) const;
  void check_skip(const FrameReader& video, int64_t wanted) const;

  std::unique_ptr<FrameReader> distorted_, reference_;
  const int64_t skip_distorted_, skip_reference_;
  const ReadRange range_;
  const Sampling sampling_;
  const bool every_frame_;      // also those that are not reported
  const int64_t counted_from_;  // what comes before is read for others alone
  const int64_t end_read_;      // the frame before which the distorted video is cut; -1: none
  const StopToken stop_;
  std::function<void(const FramePair&)> look_;
  std::function<bool(int64_t)> may_use_;
  ShorterVideo shorter_ = ShorterVideo::kNone;
  std::optional<NearestFrames> nearest_;                       // none: by number
  std::optional<double> distorted_origin_, reference_origin_;  // times of the first frames
  double last_time_ = 0, last_step_ = 0;                       // of the distorted video, in seconds
  int64_t last_index_ = -1;                                    // of the distorted frame
  NearestFrames::Match match_;                                 // of the last pair
  int64_t fit_before_ = 0, fit_behind_ = 0;                    // frames that match one beside the nearest
  std::vector<int64_t> unmatched_;                             // the first frames that match none
  int64_t unmatched_count_ = 0;
  int64_t pairs_read_ = 0;
  std::optional<int64_t> first_index_;  // of the range
};

// Whether something at the one time is shown before the other. Timestamps are rounded to the container's
// clock.
bool is_before(double time, double other);

// The number of the frame at that position behind the skipped ones, as far as the frame rate tells.
int64_t frame_at(const VideoPosition& position, const VideoInfo& video, int64_t skipped);

// The frames of a video that are read for the pairs, as far as numbers of frames say.
ReadLimits frames_to_read(const RunOptions& options, Role role = Role::kDistorted);

// How many frames a run is to report, as far as what the videos declare tells. `reference` may be null.
std::optional<int64_t> expected_frames(const RunOptions& options, const VideoInfo& distorted,
                                       const VideoInfo* reference);

}  // namespace vq::cli
