// The progress line of a batch: one line for all videos.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/reports/batch_summary.h"
#include "cli/system/progress.h"

namespace vq::cli {

// Not for several threads at once.
class BatchProgress {
 public:
  struct Video {
    std::string name;
    int64_t bytes = 0;  // its part of the whole
  };
  // `settings` but for total and label.
  BatchProgress(const ProgressSettings& settings, ProgressPort port, const std::vector<Video>& videos);

  // A video is being scored; `frames` of it where known.
  void begin(size_t video, std::optional<int64_t> frames);
  // One more frame of it is scored. Draws at most ten times a second.
  void frame(size_t video);
  // The video has ended: `outcome` is its result. One that is not reached may begin
  // again.
  void end(size_t video, const VideoOutcome& outcome);
  // As those of Progress.
  void clear() { line_.clear(); }
  void finish();

 private:
  struct State {
    std::string name;
    int64_t bytes = 0, frames = 0;
    std::optional<int64_t> total;
    bool is_running = false;
  };
  struct Pace {
    double elapsed = 0;
    std::optional<double> percent, seconds_left, fps;
  };
  Pace pace() const;
  std::vector<StatusPart> parts() const;
  std::string json_line() const;
  void plain_end(const VideoOutcome& outcome);

  const ProgressForm form_;
  const ProgressPort port_;
  const double start_;
  double next_draw_;
  std::vector<State> videos_;
  int64_t bytes_ = 0, bytes_done_ = 0;  // of what is to be scored
  int64_t frames_ = 0;                  // scored, of all videos
  int64_t ended_ = 0, failed_ = 0;      // videos
  StatusLine line_;
};

}  // namespace vq::cli
