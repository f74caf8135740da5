// A batch: many videos, one report for each in one folder.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/batch/batch_task.h"
#include "cli/batch/video_list.h"
#include "cli/reports/batch_summary.h"
#include "cli/system/messages.h"
#include "cli/system/progress.h"
#include "core/worker_pool.h"

namespace vq::cli {

// Throws Error{kUsage} if two files of the batch would have the same name, as that of a video and the
// summary, or a file that of a folder.
void check_batch_names(const BatchRequest& request, const VideoList& list);

// Scores the videos of the list that have no report of the same origin by this version, several at a time,
// and writes their reports, each with everything else that is wanted of that video or none of it. A report of
// the same scores of which only thresholds or segments differ is written anew from itself. A video that fails
// stops no other: what failed is in the result. A video for which there was not enough memory or no room on
// the device beside the others is scored once more when it is alone. After an interrupt the videos at work
// are left. Shows progress. Throws Error{kUsage} for errors that concern all videos, such as a threshold on a
// metric that does not exist.
BatchSummary score_batch(const BatchRequest& request, const VideoList& list, Messages& messages);

// Runs at the same time that share the cores.

// Threads that a video of this many pixels a frame keeps busy by itself: a small one has too little work for
// many, and several of them at a time are the better use.
int useful_threads(int64_t pixels);

class ThreadShares {
 public:
  // `stop` is asked while waiting.
  explicit ThreadShares(int threads, StopToken stop = {})
      : total_(threads < 1 ? 1 : threads), free_(total_), stop_(std::move(stop)) {}

  // Blocks until `wanted` threads, or all if it is more, are free; first come, first served. Returns the
  // number taken: fewer, or none, once it is stopped. Give back what was taken.
  int take(int wanted);
  void give_back(int threads);

 private:
  const int total_;
  int free_;
  const StopToken stop_;
  int64_t next_ticket_ = 0, served_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

// The progress line of a batch: one line for all videos.

// Not for several threads at once.
class BatchProgress {
 public:
  struct Video {
    std::string name;
    int64_t bytes = 0;  // its part of the whole
  };
  // `settings` but for total and label.
  BatchProgress(const ProgressSettings& settings, ProgressPort port, const std::vector<Video>& videos);

  // A video is being scored; `frames` of it if known.
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
