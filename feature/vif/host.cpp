#include "feature/vif/host.h"

#include "core/workspace_pool.h"
#include "feature/simd_targets.h"

namespace vq::vif {
namespace {

Pyramid make_pyramid(const VifPlan& plan) {
  Pyramid pyramid;
  for (size_t k = needs_copies(plan) ? 0 : 1; k < kScales; ++k) {
    pyramid[k] = Plane<uint16_t>(plan.sizes[k].width, plan.sizes[k].height);
  }
  return pyramid;
}

SampleView view_of(const Plane<uint16_t>& plane) {
  return {.u8 = {}, .u16 = plane.view()};
}

}  // namespace

Workspace::Workspace(const VifPlan& plan)
    : rows(plan.sizes[0].width), reference(make_pyramid(plan)), distorted(make_pyramid(plan)) {}

int64_t Workspace::bytes(const VifPlan& plan) {
  // Rows are padded to 64 bytes and have a guard of 64.
  constexpr int64_t kMargin = 128, kRows = 4 * 8 * 2 + 5 * 4;
  int64_t bytes = kRows * (std::max(plan.sizes[0].width, kPartWidth) + kMargin);
  for (size_t k = needs_copies(plan) ? 0 : 1; k < kScales; ++k) {
    bytes += 2 * (int64_t{plan.sizes[k].width} * 2 + kMargin) * (plan.sizes[k].height + 1);
  }
  return bytes;
}

FrameResult score_pictures(const VifPlan& plan, Pictures pictures, const VifStages& stages,
                           Workspace& workspace) {
  if (needs_copies(plan)) {
    widen(pictures.reference, plan.reference_shift, workspace.reference[0].view());
    widen(pictures.distorted, plan.distorted_shift, workspace.distorted[0].view());
    pictures = {view_of(workspace.reference[0]), view_of(workspace.distorted[0])};
  }
  std::array<Information, kScales> scales;
  for (int k = 0; k < kScales; ++k) {
    const auto i = static_cast<size_t>(k);
    if (k > 0) {
      const Scale above = {.index = k - 1, .bit_depth = plan.bit_depth};
      stages.decimate(pictures.reference, above, workspace.reference[i].view(), workspace.rows);
      stages.decimate(pictures.distorted, above, workspace.distorted[i].view(), workspace.rows);
      pictures = {view_of(workspace.reference[i]), view_of(workspace.distorted[i])};
    }
    if (k < plan.first_scale) continue;
    const Scale scale = {.index = k, .bit_depth = plan.bit_depth};
    scales[i] = information_of(stages.statistics(pictures, scale, plan.options.gain_limit, workspace.rows));
  }
  return frame_result(plan, scales);
}

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
    return score_pictures(plan_, {frames.reference.value().luma(), frames.distorted.luma()}, stages_,
                          *workspace);
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

FeatureMemory host_memory(const VifPlan& plan, const Execution& execution) {
  return {.fixed = thread_count(execution) * Workspace::bytes(plan)};
}

}  // namespace vq::vif
