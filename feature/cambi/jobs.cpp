#include "feature/cambi/jobs.h"

#include <chrono>
#include <cstring>

#include "feature/simd_targets.h"

namespace vq::cambi {
namespace {

template <typename T>
bool same_plane(PlaneView<const T> a, PlaneView<const T> b) {
  for (int y = 0; y < a.height; ++y) {
    if (std::memcmp(a.row(y), b.row(y), static_cast<size_t>(a.width) * sizeof(T)) != 0) return false;
  }
  return true;
}

// Pictures of one video, so of one size and depth.
bool same_luma(const SampleView& a, const SampleView& b) {
  if (a.is_u8() != b.is_u8() || a.width() != b.width() || a.height() != b.height()) return false;
  return a.is_u8() ? same_plane(a.u8, b.u8) : same_plane(a.u16, b.u16);
}

}  // namespace

void FrameJob::release_frames() {
  frames.distorted.owner.reset();
  frames.reference.reset();
}

FrameJobs::~FrameJobs() {
  for (const auto& job : jobs_) {
    if (job->done.valid()) job->done.wait();
    // The task that ends a frame has waited for the one that began it, if it came to that.
    if (job->begun.valid()) job->begun.wait();
  }
}

FrameJob& FrameJobs::add(const FramePair& frames) {
  jobs_.push_back(std::make_unique<FrameJob>());
  FrameJob& job = *jobs_.back();
  job.frames = frames;
  job.repeats = repeats_last(frames);
  if (job.repeats) {
    ++repeated_frames_;
    job.release_frames();
  } else {
    last_ = frames;
    if (!scores_reference_) last_->reference.reset();
  }
  return job;
}

// A frame that repeats one that failed is never delivered: the failure ends the run.
bool FrameJobs::repeats_last(const FramePair& frames) const {
  if (!last_ || !same_luma(frames.distorted.luma(), last_->distorted.luma())) return false;
  if (!scores_reference_ || !frames.reference) return true;
  return same_luma(frames.reference->luma(), last_->reference->luma());
}

bool FrameJobs::first_is_done() const {
  if (jobs_.empty()) return false;
  const FrameJob& job = *jobs_.front();
  return job.repeats ||
         (job.done.valid() && job.done.wait_for(std::chrono::seconds(0)) == std::future_status::ready);
}

void FrameJobs::deliver_first(ScoreSink& sink) {
  const std::unique_ptr<FrameJob> job = std::move(jobs_.front());
  jobs_.pop_front();
  if (!job->repeats) {
    job->done.get();
    delivered_values_ = std::move(job->values);
    delivered_heatmaps_ = std::move(job->heatmaps);
  }
  for (size_t k = 0; k < delivered_heatmaps_.size(); ++k) {
    sink.heatmap(job->frames.index, static_cast<int>(k), delivered_heatmaps_[k].view());
  }
  sink.scores(job->frames.index, delivered_values_);
}

Error at_frame(const Error& error, const std::string& video, int64_t frame) {
  return Error(error.kind(), video + ": frame " + std::to_string(frame) + ": " + error.what());
}

HostStages::HostStages(const Execution& execution) : stages(scalar_stages()), name("scalar") {
  if (execution.backend == Backend::kScalar) return;
  const std::vector<SimdTarget> targets = allowed_simd_targets(execution.cpumask);
  if (targets.empty()) return;
  stages = simd_stages(targets.front().id);
  name = targets.front().name;
}

WorkspacePool::WorkspacePool(const CambiPlans& plans, WorkspaceUse use, int count) {
  for (int i = 0; i < count; ++i) free_.push_back(std::make_unique<Workspace>(plans, use));
}

std::unique_ptr<Workspace> WorkspacePool::take() {
  const std::lock_guard lock(mutex_);
  HWY_DASSERT(!free_.empty());
  std::unique_ptr<Workspace> workspace = std::move(free_.back());
  free_.pop_back();
  return workspace;
}

void WorkspacePool::give_back(std::unique_ptr<Workspace> workspace) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(workspace));
}

}  // namespace vq::cambi
