#include "feature/cambi/cpu_extractor.h"

#include "core/error.h"
#include "core/worker_pool.h"
#include "feature/cambi/jobs.h"

namespace vq::cambi {
namespace {

// Frames in flight: one for each thread, and for every second thread one that is ready when another is done.
int frames_in_flight(int threads) {
  return threads + threads / 2;
}

class CpuExtractor final : public FeatureExtractor {
 public:
  CpuExtractor(const CambiOptions& options, const InputFormats& formats, const Execution& execution)
      : options_(options),
        plans_(make_plans(options, formats)),
        name_(formats.distorted.name),
        source_name_(formats.reference ? formats.reference->name : name_),
        execution_(execution),
        host_(execution),
        workspaces_(plans_, WorkspaceUse::kPictures, execution.pool->size()),
        capacity_(static_cast<size_t>(frames_in_flight(execution.pool->size()))),
        jobs_(plans_.source.has_value()) {}

  void push(const FramePair& frames, ScoreSink& sink) override {
    FrameJob& job = jobs_.add(frames);
    if (!job.repeats) {
      if (execution_.heatmaps) job.heatmaps = make_heatmap_planes(plans_.distorted);
      job.done = execution_.pool->submit(std::packaged_task<void()>([this, &job] { score(job); }));
    }
    // Waits here and not with the next frame in hand, which would be one more in memory.
    if (jobs_.size() >= capacity_) jobs_.deliver_first(sink);
  }

  void finish(ScoreSink& sink) override {
    while (jobs_.size() > 0) jobs_.deliver_first(sink);
  }

  BackendReport backend_report() const override {
    return {.backend = std::string(to_string(execution_.backend)),
            .simd = host_.name,
            .repeated_frames = jobs_.repeated_frames()};
  }

 private:
  void score(FrameJob& job) {
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
    job.release_frames();
  }

  struct Video {
    const CambiPlan& plan;
    const std::string& name;
  };

  double score_one(const Frame& frame, const Video& video, Workspace& workspace,
                   HeatmapPlanes& heatmaps) const {
    try {
      return frame_score(video.plan,
                         score_picture(frame.luma(), video.plan, host_.stages, workspace, heatmaps));
    } catch (const Error& error) {
      throw at_frame(error, video.name, frame.index);
    }
  }

  const CambiOptions options_;
  const CambiPlans plans_;
  const std::string name_, source_name_;
  const Execution execution_;
  const HostStages host_;
  WorkspacePool workspaces_;
  const size_t capacity_;
  FrameJobs jobs_;
};

}  // namespace

std::unique_ptr<FeatureExtractor> make_cpu_extractor(const CambiOptions& options, const InputFormats& formats,
                                                     const Execution& execution) {
  return std::make_unique<CpuExtractor>(options, formats, execution);
}

int64_t cpu_extractor_bytes(const CambiPlans& plans, const Execution& execution) {
  const int threads = execution.pool->size();
  int64_t bytes = threads * Workspace::bytes(plans, WorkspaceUse::kPictures);
  if (execution.heatmaps) {
    for (const ScalePlan& scale : plans.distorted.scales) {
      bytes += static_cast<int64_t>(frames_in_flight(threads) + 1) * scale.width * scale.height *
               static_cast<int64_t>(sizeof(uint16_t));
    }
  }
  return bytes;
}

}  // namespace vq::cambi
