#include "feature/adm/feature.h"

#include <optional>
#include <string>

#include "core/worker_pool.h"
#include "feature/adm/driver.h"
#include "feature/simd_targets.h"
#include "feature/workspace_pool.h"

namespace vq::adm {
namespace {

AdmStages stages_for(const Execution& execution) {
  const std::optional<SimdTarget> target = host_target(execution);
  return target ? simd_stages(target->id) : scalar_stages();
}

class AdmHost final : public HostFeature {
 public:
  AdmHost(const AdmPlan& plan, const Execution& execution)
      : plan_(plan),
        stages_(stages_for(execution)),
        simd_(host_simd(execution)),
        workspaces_([this] { return std::make_unique<Workspace>(plan_); }) {}

  FrameResult score(const FramePair& frames) override {
    const Samples reference = {frames.reference.value().luma(), plan_.videos.reference_shift};
    const Samples distorted = {frames.distorted.luma(), plan_.videos.distorted_shift};
    const auto workspace = workspaces_.take();
    return {.values = frame_scores(plan_, sum_frame(reference, distorted, plan_, stages_, *workspace))};
  }

  std::string simd() const override { return simd_; }

 private:
  const AdmPlan plan_;
  const AdmStages stages_;
  const std::string simd_;
  WorkspacePool<Workspace> workspaces_;
};

}  // namespace

std::unique_ptr<HostFeature> make_host_feature(const AdmPlan& plan, const Execution& execution) {
  return std::make_unique<AdmHost>(plan, execution);
}

FeatureMemory host_memory(const AdmPlan& plan, const Execution& execution) {
  const int64_t threads = thread_count(execution);
  return {.fixed = threads * Workspace::bytes(plan)};
}

}  // namespace vq::adm
