// A batch: many videos, one report for each in one folder.
#pragma once

#include "cli/batch/batch_task.h"
#include "cli/batch/video_list.h"
#include "cli/reports/batch_summary.h"
#include "cli/system/messages.h"
#include "cli/system/progress.h"
#include "core/worker_pool.h"

namespace vq::cli {

// Throws Error{kUsage} if two files of the batch would have the same name, such as a video's report and the
// summary, or if a file would have the name of a folder.
void check_batch_names(const BatchRequest& request, const VideoList& list);

// Scores the videos of the list, several at a time, unless a video has a report of the same origin by this
// version. For each video all files that are wanted are written, or none. If a report has the right scores
// and only thresholds or segments differ, it is written anew without scoring. A video that fails stops no
// other; its outcome says why it failed. If there was not enough memory for a video, or no room on the device
// beside the others, it is scored once more when it is alone. After an interrupt the videos that are being
// scored are abandoned. Shows progress. Throws Error{kUsage} for errors that concern all videos, such as a
// threshold on a metric that does not exist.
BatchSummary score_batch(const BatchRequest& request, const VideoList& list, Messages& messages);

// Sharing the cores among runs at the same time.

// The number of threads that one video keeps busy, `pixels` being those of a frame. A small video has too
// little work for many threads, so several small ones at a time use them better.
int useful_threads(int64_t pixels);

class ThreadShares {
 public:
  // `stop` is asked while waiting.
  explicit ThreadShares(int threads, StopToken stop = {})
      : total_(threads < 1 ? 1 : threads), free_(total_), stop_(std::move(stop)) {}

  // Blocks until `wanted` threads are free, or all threads if `wanted` is more; first come, first served.
  // Returns the number taken, which may be lower, or 0, once it is stopped. The caller gives back that
  // number.
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

class BatchProgress final : public ShownProgress {
 public:
  // Total and label of `settings` are not used. The bytes of a video are its part of the whole.
  BatchProgress(const ProgressSettings& settings, ProgressPort port, const std::vector<ListedVideo>& videos);

  // To be called when a video begins to be scored. `frames` is the number of its frames, if known.
  void begin(size_t video, std::optional<int64_t> frames);
  // Counts one more scored frame of the video.
  void frame(size_t video);
  // To be called when a video has ended, with its result. A video that is left may begin again.
  void end(size_t video, const VideoOutcome& outcome);
  void finish();  // as in Progress

 private:
  struct State {
    std::string name;
    int64_t bytes = 0, frames = 0;
    std::optional<int64_t> total;
    bool is_running = false;
  };
  Pace pace() const override;
  std::vector<StatusPart> parts(const Pace& now) const override;
  std::string json_line(const Pace& now) const override;
  void plain_end(const VideoOutcome& outcome);

  std::vector<State> videos_;
  int64_t bytes_ = 0, bytes_done_ = 0;  // of what is to be scored
  int64_t frames_ = 0;                  // scored, of all videos
  int64_t ended_ = 0, failed_ = 0;      // videos
};

}  // namespace vq::cli
