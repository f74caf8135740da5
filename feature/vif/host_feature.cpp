#include "feature/vif/feature.h"

#include "core/worker_pool.h"
#include "feature/simd_targets.h"
#include "feature/vif/driver.h"
#include "feature/workspace_pool.h"

namespace vq::vif {
namespace {

class VifHost final : public HostFeature {
 public:
  VifHost(const VifPlan& plan, const Execution& execution)
      : plan_(plan),
        stages_{.decimate = host_stage(execution, scalar::decimate, simd::decimate_for),
                .statistics = host_stage(execution, scalar::statistics, simd::statistics_for)},
        simd_(host_simd(execution)),
        workspaces_([plan] { return std::make_unique<Workspace>(plan); }) {}

  FrameResult score(const FramePair& frames) override {
    const auto workspace = workspaces_.take();
    return score_pictures(plan_, {frames.reference.value().luma(), frames.distorted.luma()}, stages_, *workspace);
  }

  std::string simd() const override { return simd_; }

 private:
  const VifPlan plan_;
  const VifStages stages_;
  const std::string simd_;
  WorkspacePool<Workspace> workspaces_;
};

}  // namespace

std::unique_ptr<HostFeature> make_host_feature(const VifPlan& plan, const Execution& execution) {
  return std::make_unique<VifHost>(plan, execution);
}

FeatureMemory host_feature_memory(const VifPlan& plan, const Execution& execution) {
  return {.fixed = thread_count(execution) * Workspace::bytes(plan)};
}

}  // namespace vq::vif
