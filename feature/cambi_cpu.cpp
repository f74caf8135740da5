#include "feature/cambi_cpu.h"

#include <cstring>
#include <deque>
#include <future>
#include <mutex>

#include "core/error.h"
#include "core/worker_pool.h"
#include "feature/cambi_driver.h"
#include "feature/simd_targets.h"

namespace vq::cambi {
namespace {

// Frames in flight for each thread: one being scored, and one ready when it is done.
constexpr int kFramesPerThread = 2;

// Hands each task a workspace nobody else uses; there are as many as threads, so none waits.
class WorkspacePool {
 public:
  WorkspacePool(const CambiPlans& plans, int count) {
    for (int i = 0; i < count; ++i) free_.push_back(std::make_unique<Workspace>(plans));
  }
  std::unique_ptr<Workspace> take() {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Workspace> workspace = std::move(free_.back());
    free_.pop_back();
    return workspace;
  }
  void give_back(std::unique_ptr<Workspace> workspace) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(workspace));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> free_;
};

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

std::optional<SimdTarget> best_target(uint32_t cpumask) {
  const std::vector<SimdTarget> targets = allowed_simd_targets(cpumask);
  return targets.empty() ? std::nullopt : std::optional(targets.front());
}

template <typename T>
bool same_plane(PlaneView<const T> a, PlaneView<const T> b) {
  for (int y = 0; y < a.height; ++y) {
    if (std::memcmp(a.row(y), b.row(y), static_cast<size_t>(a.width) * sizeof(T)) != 0) return false;
  }
  return true;
}

// Pictures of one video, so of one size and depth.
bool same_luma(const LumaView& a, const LumaView& b) {
  if (a.is_u8() != b.is_u8() || a.width() != b.width() || a.height() != b.height()) return false;
  return a.is_u8() ? same_plane(a.u8, b.u8) : same_plane(a.u16, b.u16);
}

class CpuExtractor final : public FeatureExtractor {
 public:
  CpuExtractor(const CambiOptions& options, const InputFormats& formats, const Execution& execution)
      : options_(options),
        plans_(make_plans(options, formats)),
        name_(formats.distorted.name),
        source_name_(formats.reference ? formats.reference->name : name_),
        execution_(execution),
        simd_(execution.backend == Backend::kScalar ? std::nullopt : best_target(execution.cpumask)),
        stages_(simd_ ? simd_stages(simd_->id) : scalar_stages()),
        workspaces_(plans_, execution.pool->size()),
        capacity_(static_cast<size_t>(execution.pool->size() * kFramesPerThread)) {}

  ~CpuExtractor() override {
    for (const auto& job : jobs_) {
      if (job->done.valid()) job->done.wait();
    }
  }

  void push(const FramePair& frames, ScoreSink& sink) override {
    if (jobs_.size() >= capacity_) deliver_first(sink);
    jobs_.push_back(std::make_unique<Job>());
    Job& job = *jobs_.back();
    job.index = frames.index;
    job.repeats = repeats_last(frames);
    if (job.repeats) {
      ++repeated_frames_;
      return;
    }
    last_ = frames;
    if (!plans_.source) last_->reference.reset();
    job.frames = frames;
    if (execution_.heatmaps) job.heatmaps = make_heatmap_planes(plans_.distorted);
    job.done = execution_.pool->submit(std::packaged_task<void()>([this, &job] { score(job); }));
  }

  void finish(ScoreSink& sink) override {
    while (!jobs_.empty()) deliver_first(sink);
  }

  BackendReport backend_report() const override {
    return {.backend = std::string(to_string(execution_.backend)),
            .simd = std::string(simd_ ? simd_->name : "scalar"),
            .repeated_frames = repeated_frames_};
  }

 private:
  struct Job {
    int64_t index = 0;
    bool repeats = false;  // the picture before; nothing else is set
    FramePair frames;
    std::vector<double> values;
    HeatmapPlanes heatmaps;
    std::future<void> done;
  };

  void score(Job& job) {
    Borrowed workspace(workspaces_);
    const double distorted =
        score_one(job.frames.distorted, {plans_.distorted, name_}, *workspace, job.heatmaps);
    std::optional<double> source;
    if (plans_.source) {
      HeatmapPlanes none;
      const Frame& reference = job.frames.reference ? *job.frames.reference : job.frames.distorted;
      source = score_one(reference, {*plans_.source, source_name_}, *workspace, none);
    }
    job.values = reported_scores(options_, distorted, source);
    job.frames.distorted.owner.reset();
    job.frames.reference.reset();
  }

  struct Video {
    const CambiPlan& plan;
    const std::string& name;
  };

  double score_one(const Frame& frame, const Video& video, Workspace& workspace,
                   HeatmapPlanes& heatmaps) const {
    try {
      return frame_score(video.plan, score_picture(frame.luma, video.plan, stages_, workspace, heatmaps));
    } catch (const Error& error) {
      throw Error(error.kind(), video.name + ": frame " + std::to_string(frame.index) + ": " + error.what());
    }
  }

  void deliver_first(ScoreSink& sink) {
    const std::unique_ptr<Job> job = std::move(jobs_.front());
    jobs_.pop_front();
    if (!job->repeats) {
      job->done.get();
      delivered_values_ = std::move(job->values);
      delivered_heatmaps_ = std::move(job->heatmaps);
    }
    for (size_t k = 0; k < delivered_heatmaps_.size(); ++k) {
      sink.heatmap(job->index, static_cast<int>(k), delivered_heatmaps_[k].view());
    }
    sink.scores(job->index, delivered_values_);
  }

  // Both pictures of a pair must repeat where both are scored. A frame that repeats one that failed is never
  // delivered: the failure ends the run.
  bool repeats_last(const FramePair& frames) const {
    if (!last_ || !same_luma(frames.distorted.luma, last_->distorted.luma)) return false;
    if (!plans_.source || !frames.reference) return true;
    return same_luma(frames.reference->luma, last_->reference->luma);
  }

  const CambiOptions options_;
  const CambiPlans plans_;
  const std::string name_, source_name_;
  const Execution execution_;
  const std::optional<SimdTarget> simd_;  // none: the scalar stages
  const CambiStages stages_;
  WorkspacePool workspaces_;
  const size_t capacity_;
  std::deque<std::unique_ptr<Job>> jobs_;  // in frame order
  std::optional<FramePair> last_;          // the last pictures that were scored, kept to compare with
  int64_t repeated_frames_ = 0;
  // Of the frame delivered last, for those that repeat it.
  std::vector<double> delivered_values_;
  HeatmapPlanes delivered_heatmaps_;
};

}  // namespace

std::unique_ptr<FeatureExtractor> make_cpu_extractor(const CambiOptions& options, const InputFormats& formats,
                                                     const Execution& execution) {
  return std::make_unique<CpuExtractor>(options, formats, execution);
}

int64_t cpu_extractor_bytes(const CambiPlans& plans, const Execution& execution) {
  const int64_t threads = execution.pool->size();
  int64_t bytes = threads * Workspace::bytes(plans);
  if (execution.heatmaps) {
    for (const ScalePlan& scale : plans.distorted.scales) {
      bytes += (threads * kFramesPerThread + 1) * scale.width * scale.height *
               static_cast<int64_t>(sizeof(uint16_t));
    }
  }
  return bytes;
}

}  // namespace vq::cambi
