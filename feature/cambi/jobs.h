// What extractors share: frames that are scored out of order and delivered in order, and the workspaces their
// tasks borrow.
#pragma once

#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/error.h"
#include "feature/cambi/driver.h"

namespace vq::cambi {

// One frame on its way through an extractor.
struct FrameJob {
  // Once scored, a frame's samples are needed no more.
  void release_frames();

  FramePair frames;
  bool repeats = false;  // the pictures of the frame before: nothing is to be done, and nothing below is set
  std::vector<double> values;
  HeatmapPlanes heatmaps;  // empty where none were asked for
  std::future<void> begun;  // where a device takes part: that it has its work; ends as `done`
  std::future<void> done;   // ends with the frame's Error where it cannot be scored
};

// Frames that were begun and not yet delivered, in order.
class FrameJobs {
 public:
  // `scores_reference`: a frame repeats the one before only where both pictures do.
  explicit FrameJobs(bool scores_reference) : scores_reference_(scores_reference) {}
  ~FrameJobs();  // waits for the tasks that still use a job
  FrameJobs(const FrameJobs&) = delete;
  FrameJobs& operator=(const FrameJobs&) = delete;

  size_t size() const { return jobs_.size(); }
  // The reference stays valid until the job is delivered. The luma is compared with the frame's before,
  // sample by sample: see FrameJob::repeats.
  FrameJob& add(const FramePair& frames);
  FrameJob& first() { return *jobs_.front(); }
  // Whether deliver_first() would not wait.
  bool first_is_done() const;
  // Waits for the first job's `done`, which must be valid unless it repeats, hands its results to the sink
  // and drops it. Throws what `done` ended with.
  void deliver_first(ScoreSink& sink);
  int64_t repeated_frames() const { return repeated_frames_; }

 private:
  bool repeats_last(const FramePair& frames) const;

  const bool scores_reference_;
  std::deque<std::unique_ptr<FrameJob>> jobs_;
  std::optional<FramePair> last_;  // the last pictures that were to be scored, kept to compare with
  int64_t repeated_frames_ = 0;
  // Of the frame delivered last, for those that repeat it.
  std::vector<double> delivered_values_;
  HeatmapPlanes delivered_heatmaps_;
};

// The error of a frame of the named video.
Error at_frame(const Error& error, const std::string& video, int64_t frame);

// The stages the host runs: those for the best instruction set that the CPU has and Execution::cpumask
// allows, the scalar ones where that is none or the backend is the scalar one.
struct HostStages {
  explicit HostStages(const Execution& execution);
  CambiStages stages;
  std::string name;  // of the instruction set, or "scalar"
};

// Hands each task a workspace nobody else uses; there are as many as threads, so none waits.
class WorkspacePool {
 public:
  WorkspacePool(const CambiPlans& plans, WorkspaceUse use, int count);
  std::unique_ptr<Workspace> take();
  void give_back(std::unique_ptr<Workspace> workspace);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> free_;
};

// A workspace for as long as this lives.
class Borrowed {
 public:
  explicit Borrowed(WorkspacePool& pool) : pool_(pool), workspace_(pool.take()) {}
  ~Borrowed() { pool_.give_back(std::move(workspace_)); }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  Workspace& operator*() { return *workspace_; }

 private:
  WorkspacePool& pool_;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace vq::cambi
