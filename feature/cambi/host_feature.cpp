#include "feature/cambi/host_feature.h"

#include "core/ordered_frames.h"
#include "core/worker_pool.h"
#include "feature/cambi/workspace_pool.h"

namespace vq::cambi {
namespace {

class CambiHost final : public HostFeature {
 public:
  CambiHost(const CambiOptions& options, const InputFormats& formats, const Execution& execution)
      : options_(options),
        plans_(make_plans(options, formats)),
        name_(formats.distorted.name),
        source_name_(formats.reference ? formats.reference->name : name_),
        heatmaps_(execution.heatmaps),
        host_(execution),
        workspaces_(plans_, WorkspaceUse::kPictures, execution.pool->size()) {}

  FrameResult score(const FramePair& frames) override {
    FrameResult result;
    if (heatmaps_) result.heatmaps = make_heatmap_planes(plans_.distorted);
    Borrowed workspace(workspaces_);
    const double distorted = score_one(frames.distorted, {plans_.distorted, name_}, *workspace, result.heatmaps);
    std::optional<double> source;
    if (plans_.source) {
      HeatmapPlanes none;
      const Frame& reference = frames.reference ? *frames.reference : frames.distorted;
      source = score_one(reference, {*plans_.source, source_name_}, *workspace, none);
    }
    result.values = reported_scores(options_, distorted, source);
    return result;
  }

  std::string simd() const override { return host_.name; }

 private:
  struct Video {
    const CambiPlan& plan;
    const std::string& name;
  };

  double score_one(const Frame& frame, const Video& video, Workspace& workspace, HeatmapPlanes& heatmaps) const {
    try {
      return frame_score(video.plan, score_picture(frame.luma(), video.plan, host_.stages, workspace, heatmaps));
    } catch (const Error& error) {
      throw at_frame(error, video.name, frame.index);
    }
  }

  const CambiOptions options_;
  const CambiPlans plans_;
  const std::string name_, source_name_;
  const bool heatmaps_;
  const HostStages host_;
  WorkspacePool workspaces_;
};

}  // namespace

std::unique_ptr<HostFeature> make_host_feature(const CambiOptions& options, const InputFormats& formats,
                                               const Execution& execution) {
  return std::make_unique<CambiHost>(options, formats, execution);
}

FeatureMemory host_feature_memory(const CambiPlans& plans, const Execution& execution) {
  return {.fixed = execution.pool->size() * Workspace::bytes(plans, WorkspaceUse::kPictures),
          .each_result = execution.heatmaps ? heatmap_bytes(plans.distorted) : 0};
}

}  // namespace vq::cambi
