#include "feature/cambi/feature.h"

#include "core/worker_pool.h"
#include "feature/cambi/host.h"

namespace vq::cambi {
namespace {

class CambiHost final : public HostFeature {
 public:
  CambiHost(const CambiOptions& options, const InputFormats& formats, const Execution& execution)
      : run_(options, formats, execution),
        workspaces_(run_, WorkspaceUse::kPictures) {}

  FrameResult score(const FramePair& frames) override {
    Borrowed workspace(workspaces_);
    return score_frame(run_, frames, [&](const Frame& frame, bool is_source, HeatmapPlanes& heatmaps) {
      const CambiPlan& plan = is_source ? *run_.plans.source : run_.plans.distorted;
      return frame_score(plan, score_picture(frame.luma(), plan, run_.host.stages, *workspace, heatmaps));
    });
  }

  std::string simd() const override { return run_.host.name; }
  std::vector<StageTotal> stage_times() const override { return workspaces_.stage_times(); }

 private:
  const CambiRun run_;
  WorkspacePool workspaces_;
};

}  // namespace

std::unique_ptr<HostFeature> make_host_feature(const CambiOptions& options, const InputFormats& formats,
                                               const Execution& execution) {
  return std::make_unique<CambiHost>(options, formats, execution);
}

FeatureMemory host_feature_memory(const CambiPlans& plans, const Execution& execution) {
  return {.fixed = thread_count(execution) * Workspace::bytes(plans, WorkspaceUse::kPictures),
          .each_result = execution.heatmaps ? heatmap_bytes(plans.distorted) : 0};
}

}  // namespace vq::cambi
