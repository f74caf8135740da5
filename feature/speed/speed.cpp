#include "feature/speed/speed.h"

#include <algorithm>

namespace vq::speed {
namespace {

constexpr Publication kPublication = {.citation =
                                          "C. G. Bampis, P. Gupta, R. Soundararajan, A. C. Bovik: SpEED-QA: "
                                          "Spatial Efficient Entropic Differencing for "
                                          "Image and Video Quality. IEEE Signal Processing Letters 24, 2017",
                                      .doi = "10.1109/LSP.2017.2726542"};

constexpr MetricInfo speed_of(std::string_view name, std::string_view title, std::string_view subject,
                              std::string_view explanation, bool is_detail = false) {
  return {.name = name,
          .title = title,
          .subject = subject,
          .better = Better::kLower,
          .flawless = 0,
          .explanation = explanation,
          .is_detail = is_detail};
}

constexpr std::string_view kOfChroma =
    "How much the detail of colour, as a model of natural pictures sees it, differs from the "
    "reference's. 0 is no difference, and also what pictures without colour have.";
constexpr std::string_view kOfTime =
    "How much the change from frame to frame, as a model of natural pictures sees it, differs "
    "from the reference's. 0 is no difference, and also what still pictures have.";

constexpr MetricInfo kMetrics[] = {
    with_full_name(speed_of("speed_chroma_u", "SpEED of Cb", "colour distortion", kOfChroma, true),
                   "Speed_chroma_feature_speed_chroma_u_score"),
    with_full_name(speed_of("speed_chroma_v", "SpEED of Cr", "colour distortion", kOfChroma, true),
                   "Speed_chroma_feature_speed_chroma_v_score"),
    with_full_name(speed_of("speed_chroma_uv", "SpEED of chroma", "colour distortion", kOfChroma),
                   "Speed_chroma_feature_speed_chroma_uv_score")};
constexpr MetricInfo kTemporalMetrics[] = {
    with_full_name(speed_of("speed_temporal", "temporal SpEED", "distortion of motion", kOfTime),
                   "Speed_temporal_feature_speed_temporal_score")};

struct PlaneWorkspace : Workspace {
  explicit PlaneWorkspace(const SpeedPlan& plan) : Workspace(plan.plane) {}
};

// The common part of both features: two planes, given by their rows, become a score.
class SpeedHost : public WorkspaceHost<SpeedPlan, Stages, PlaneWorkspace> {
 public:
  SpeedHost(const SpeedPlan& plan, const Execution& execution)
      : WorkspaceHost(plan, execution), reader_(stages_, plan_) {}

 protected:
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
  const PlaneReader reader_;
};

class ChromaHost final : public SpeedHost {
 public:
  using SpeedHost::SpeedHost;

  FrameResult score(const FramePair& frames) override {
    const auto loan = workspaces_.take();
    const PlaneScore u = compare_plane(frames, 1, *loan), v = compare_plane(frames, 2, *loan);
    const std::array<double, 3> values = chroma_values(u, v, plan_.options.max_value);
    return {.values = {values.begin(), values.end()}};
  }

 private:
  PlaneScore compare_plane(const FramePair& frames, size_t plane, Workspace& workspace) const {
    const SampleView &reference = frames.reference.value().planes[plane],
                     &distorted = frames.distorted.planes[plane];
    return compare([&](int y, float* out) { to_floats(reference, plan_.reference_depth, y, out); },
                   [&](int y, float* out) { to_floats(distorted, plan_.distorted_depth, y, out); },
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
    const auto loan = workspaces_.take();
    const Luma reference = {frames.reference.value().luma(), plan_.reference_depth},
               reference_before = {frames.references_before.front().luma(), plan_.reference_depth},
               distorted = {frames.distorted.luma(), plan_.distorted_depth},
               distorted_before = {frames.distorted_before.front().luma(), plan_.distorted_depth};
    const Luma& after = plan_.options.reference_difference ? reference : distorted;
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
    for (int x = 0; x < plan_.plane.source.width; ++x) out[x] -= subtracted[x];
  }
};

}  // namespace

const FeatureInfo& chroma_feature_info() {
  static const FeatureInfo kInfo = describe<SpeedChroma, ChromaHost>({
      .name = "speed_chroma",
      .summary =
          "SpEED-QA of both chroma planes: the difference of their blocks' entropies from the reference's",
      .publication = kPublication,
      .metrics = kMetrics,
  });
  return kInfo;
}

const FeatureInfo& temporal_feature_info() {
  static const FeatureInfo kInfo = describe<SpeedTemporal, TemporalHost>({
      .name = "speed_temporal",
      .summary = "SpEED-QA of the luma's change from frame to frame against the reference's",
      .publication = kPublication,
      .metrics = kTemporalMetrics,
  });
  return kInfo;
}

}  // namespace vq::speed
