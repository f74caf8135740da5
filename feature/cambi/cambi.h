// CAMBI's entry in the registry, on the CPU and on a Vulkan device.
#pragma once

#include "feature/cambi/stages.h"
#include "feature/stage_clock.h"

namespace vq::cambi {

// Whole pictures, or only the c-values and pooling of scales that something else has made.
enum class WorkspaceUse { kPictures, kScalesOnly };

// Buffers for scoring one picture at a time with any of the plans. Throws std::bad_alloc.
class Workspace {
 public:
  Workspace(const CambiPlans& plans, WorkspaceUse use);

  Plane<uint16_t> image;  // this and the mask only for whole pictures
  Plane<uint8_t> mask;
  Scratch scratch;
  Pooling pooling;
  StageClock* clock = nullptr;  // null: stages are not timed
};

// The names under which stages are timed here, and called on devices.
inline constexpr std::string_view kPrepare = "prepare", kDecimate = "decimate", kModeFilter = "mode_filter",
                                  kCValues = "c_values", kPooling = "pooling", kHeatmap = "heatmap";

// Where the heatmaps of a picture go: one plane for each scale, of the scale's size, or none at all.
using HeatmapPlanes = std::vector<Plane<uint16_t>>;
HeatmapPlanes make_heatmap_planes(const CambiPlan& plan);

using ScaleSums = std::array<ExactSum, kScales>;

// Scores a picture, and fills `heatmaps` unless it is empty. Throws Error{kMismatch} naming the first sample
// that exceeds the input depth's maximum.
ScaleSums score_picture(const SampleView& luma, const CambiPlan& plan, const Stages& stages,
                        Workspace& workspace, HeatmapPlanes& heatmaps);

// The part of a picture's score that scale `k` adds: c-values, heatmap and pooling of a picture that is
// already decimated and filtered to that scale.
ExactSum score_scale(ImageIn image, MaskIn mask, int k, const CambiPlan& plan, const Stages& stages,
                     Workspace& workspace, HeatmapPlanes& heatmaps);

// Says which sample of a picture is the first to exceed the depth's maximum, when preprocessing has found
// that one does. Throws Error{kMismatch}.
[[noreturn]] void throw_excess(const SampleView& luma, int depth);

// Needs of scoring over a run, whatever the backend.
struct CambiRun {
  CambiRun(const CambiPlans& with, const Execution& on, WorkspaceUse use)
      : plans(with),
        execution(on),
        stages(Stages::of(on)),
        workspaces([this, use] { return std::make_unique<Workspace>(plans, use); }),
        times(on.time_stages) {}

  const CambiPlans plans;
  const Execution execution;
  const Stages stages;
  WorkspacePool<Workspace> workspaces;
  StageTimes times;
};

// A workspace of the run, with a clock if stages are timed.
class Borrowed {
 public:
  explicit Borrowed(CambiRun& run) : workspace_(run.workspaces.take()), clock_(run.times) {
    workspace_->clock = clock_.get();
  }
  Workspace& operator*() const { return *workspace_; }

 private:
  const WorkspacePool<Workspace>::Loan workspace_;
  StageTimes::ThreadClock clock_;
};

// The result of a frame whose pictures are scored one after the other: `score(frame, is_source, heatmaps)`
// returns the score of one, and fills `heatmaps` unless it is empty. Its exceptions get video and frame
// added.
template <typename Score>
FrameResult score_frame(const CambiRun& run, const FramePair& frames, const Score& score) {
  const auto score_one = [&](const Frame& frame, bool is_source, HeatmapPlanes& heatmaps) {
    try {
      return score(frame, is_source, heatmaps);
    } catch (const Error& error) {
      throw at_frame(error, is_source ? run.plans.source_name : run.plans.name, frame.index);
    }
  };
  FrameResult result;
  if (run.execution.heatmaps) result.heatmaps = make_heatmap_planes(run.plans.distorted);
  const double distorted = score_one(frames.distorted, false, result.heatmaps);
  std::optional<double> source;
  if (run.plans.source) {
    HeatmapPlanes none;
    source = score_one(frames.reference ? *frames.reference : frames.distorted, true, none);
  }
  result.values = reported_scores(run.plans.options, distorted, source);
  return result;
}

// The registry's entry. Heatmap samples are the c-values times CambiPlan::heatmap_factor (plan.h), truncated
// and saturated to 16 bits, for the distorted video only.
const FeatureInfo& feature_info();

std::unique_ptr<HostFeature> make_host_feature(const CambiPlans& plans, const Execution& execution);

// On a Vulkan device: by the hybrid backend every stage up to the mode filter, with c-values and their
// pooling on the CPU's threads; by the vulkan backend all stages, so that five sums come back.
extern const DeviceSupport kDeviceSupport;

// The context outlives the result. Throws Error{kBackend} for a device that fails its check.
std::unique_ptr<DeviceFeature> make_device_feature(const CambiPlans& plans, const Execution& execution,
                                                   vulkan::Context& context);

// Remedies at the source come first if much of it has banding or it was not scored, as no encoder can repair
// that.
std::vector<Remedy> remedies(const ScoredVideo& video);

}  // namespace vq::cambi
