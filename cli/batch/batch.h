// A batch: many videos, one report for each in one folder.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

#include "cli/batch/batch_task.h"
#include "cli/batch/video_list.h"
#include "cli/reports/batch_summary.h"
#include "cli/system/messages.h"
#include "core/worker_pool.h"

namespace vq::cli {

// Throws Error{kUsage} where two files of the batch would have the same name, as that of a video and the
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

}  // namespace vq::cli
