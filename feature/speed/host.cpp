#include "feature/speed/planes.h"

#include "core/workspace_pool.h"
#include "feature/simd_targets.h"
#include "feature/speed/speed.h"
#include "feature/speed/stages.h"

namespace vq::speed {

SpeedStages scalar_stages() {
  return {.float_row = scalar::float_row,
          .scale_row = scalar::scale_row,
          .filter_row = scalar::filter_row,
          .covariance = scalar::covariance,
          .eigenvalues = scalar::eigenvalues,
          .solve = scalar::solve,
          .entropies = scalar::entropies};
}

SpeedStages simd_stages_for(int64_t target) {
  return {.float_row = simd::float_row_for(target),
          .scale_row = simd::scale_row_for(target),
          .filter_row = simd::filter_row_for(target),
          .covariance = simd::covariance_for(target),
          .eigenvalues = simd::eigenvalues_for(target),
          .solve = simd::solve_for(target),
          .entropies = simd::entropies_for(target)};
}

SpeedStages stages_for(const Execution& execution) {
  const std::optional<SimdTarget> target = host_target(execution);
  return target ? simd_stages_for(target->id) : scalar_stages();
}

namespace {

// What both features have in common: two planes, given by their rows, become a score.
class SpeedHost : public HostFeature {
 public:
  SpeedHost(const SpeedPlan& plan, const Execution& execution)
      : plan_(plan),
        stages_(stages_for(execution)),
        simd_(host_simd(execution)),
        reader_(stages_, plan_),
        workspaces_([this] { return std::make_unique<Workspace>(plan_.plane); }) {}

  std::string simd() const override { return simd_; }

 protected:
  const SpeedPlan& plan() const { return plan_; }
  WorkspacePool<Workspace>::Loan workspace() { return workspaces_.take(); }

  void to_floats(const SampleView& plane, int depth, int y, float* out) const {
    stages_.float_row(plane, y, plan_.plane.source.width, depth, out);
  }
  PlaneScore compare(const SourceRow& reference, const SourceRow& distorted, Workspace& workspace) const {
    reader_.reduce(reference, workspace);
    reader_.figures(workspace.reduced.view(), workspace, workspace.reference);
    reader_.reduce(distorted, workspace);
    reader_.figures(workspace.reduced.view(), workspace, workspace.distorted);
    return plane_score(plan_, workspace.reference, workspace.distorted);
  }

 private:
  const SpeedPlan plan_;
  const SpeedStages stages_;
  const std::string simd_;
  const PlaneReader reader_;
  WorkspacePool<Workspace> workspaces_;
};

class ChromaHost final : public SpeedHost {
 public:
  using SpeedHost::SpeedHost;

  FrameResult score(const FramePair& frames) override {
    const auto loan = workspace();
    const PlaneScore u = compare_plane(frames, 1, *loan), v = compare_plane(frames, 2, *loan);
    const std::array<double, 3> values = chroma_values(u, v, plan().options.max_value);
    return {.values = {values.begin(), values.end()}};
  }

 private:
  PlaneScore compare_plane(const FramePair& frames, size_t plane, Workspace& workspace) const {
    const SampleView &reference = frames.reference.value().planes[plane],
                     &distorted = frames.distorted.planes[plane];
    return compare([&](int y, float* out) { to_floats(reference, plan().reference_depth, y, out); },
                   [&](int y, float* out) { to_floats(distorted, plan().distorted_depth, y, out); },
                   workspace);
  }
};

// The luma of a frame, and how deep it is.
struct Luma {
  const SampleView& plane;
  int depth = 8;
};

// The change from one frame to the next is compared with that of the reference.
class TemporalHost final : public SpeedHost {
 public:
  using SpeedHost::SpeedHost;

  FrameResult score(const FramePair& frames) override {
    if (frames.references_before.empty() || frames.distorted_before.empty()) return {.values = {0}};
    const auto loan = workspace();
    const Luma reference = {frames.reference.value().luma(), plan().reference_depth},
               reference_before = {frames.references_before.front().luma(), plan().reference_depth},
               distorted = {frames.distorted.luma(), plan().distorted_depth},
               distorted_before = {frames.distorted_before.front().luma(), plan().distorted_depth};
    const Luma& after = plan().options.reference_difference ? reference : distorted;
    const PlaneScore score =
        compare([&](int y, float* out) { to_difference(reference_before, reference, y, *loan, out); },
                [&](int y, float* out) { to_difference(distorted_before, after, y, *loan, out); }, *loan);
    return {.values = {static_cast<double>(score.value)}};
  }

 private:
  void to_difference(const Luma& before, const Luma& after, int y, Workspace& workspace, float* out) const {
    float* const subtracted = workspace.after.row(0);
    to_floats(before.plane, before.depth, y, out);
    to_floats(after.plane, after.depth, y, subtracted);
    for (int x = 0; x < plan().plane.source.width; ++x) out[x] -= subtracted[x];
  }
};

}  // namespace

std::unique_ptr<HostFeature> make_chroma_feature(const SpeedPlan& plan, const Execution& execution) {
  return std::make_unique<ChromaHost>(plan, execution);
}

std::unique_ptr<HostFeature> make_temporal_feature(const SpeedPlan& plan, const Execution& execution) {
  return std::make_unique<TemporalHost>(plan, execution);
}

}  // namespace vq::speed
