#include "feature/cambi_jobs.h"

#include "feature/simd_targets.h"

namespace vq::cambi {

void FrameJob::release_frames() {
  frames.distorted.owner.reset();
  frames.reference.reset();
}

FrameJobs::~FrameJobs() {
  for (const auto& job : jobs_) {
    if (job->done.valid()) job->done.wait();
  }
}

FrameJob& FrameJobs::add(const FramePair& frames) {
  jobs_.push_back(std::make_unique<FrameJob>());
  jobs_.back()->frames = frames;
  return *jobs_.back();
}

void FrameJobs::deliver_first(ScoreSink& sink) {
  const std::unique_ptr<FrameJob> job = std::move(jobs_.front());
  jobs_.pop_front();
  job->done.get();
  for (size_t k = 0; k < job->heatmaps.size(); ++k) {
    sink.heatmap(job->frames.index, static_cast<int>(k), job->heatmaps[k].view());
  }
  sink.scores(job->frames.index, job->values);
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
  std::unique_ptr<Workspace> workspace = std::move(free_.back());
  free_.pop_back();
  return workspace;
}

void WorkspacePool::give_back(std::unique_ptr<Workspace> workspace) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(workspace));
}

}  // namespace vq::cambi
