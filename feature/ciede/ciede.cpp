#include "feature/ciede/ciede.h"

#include <cmath>

#include "core/worker_pool.h"
#include "feature/simd_targets.h"

namespace vq::ciede {
namespace {

// libvmaf's library takes 4:2:2 for 4:4:0: it reads each row of chroma beyond its end, which in its pictures
// is followed by the next, and only the upper half of them. Scores of its pictures are the same.
ChromaShifts spread_of(const VideoFormat& video) {
  const bool is_exchanged = video.rounds_chroma_down && video.chroma == Chroma::k422;
  return is_exchanged ? ChromaShifts{.x = 0, .y = 1} : chroma_shifts(video.chroma);
}

}  // namespace

CiedePlan make_plan(const VideoFormats& formats) {
  const ComparedVideos videos = compared_videos(kFeatureName, formats);
  require_chroma(kFeatureName, formats);
  return {.videos = videos,
          .distorted = {videos.distorted_shift, spread_of(formats.distorted)},
          .reference = {videos.reference_shift, spread_of(*formats.reference)}};
}

double score(const CiedePlan& plan, double sum_of_differences) {
  const double samples = static_cast<double>(plan.videos.size.width) * plan.videos.size.height;
  return 45 - 20 * std::log10(sum_of_differences / samples);
}

namespace {

// Rows of both pictures.
struct Workspace {
  explicit Workspace(int width) : distorted(width), reference(width), differences(width, 1) {}

  struct Picture {
    explicit Picture(int width) : samples(width), colours(width, 3) {}
    LabRow<float> lab() { return {colours.row(0), colours.row(1), colours.row(2)}; }
    SpreadRows samples;
    Plane<float> colours;
  };
  Picture distorted, reference;
  Plane<float> differences;
};

class CiedeHost final : public HostFeature {
 public:
  CiedeHost(const CiedePlan& plan, const Execution& execution)
      : plan_(plan),
        colours_(host_stage(execution, scalar::colours, simd::colours_for)),
        differences_(host_stage(execution, scalar::differences, simd::differences_for)),
        simd_(host_simd(execution)),
        workspaces_([this] { return std::make_unique<Workspace>(plan_.videos.size.width); }) {}

  FrameResult score(const FramePair& frames) override {
    const auto workspace = workspaces_.take();
    const auto [width, height] = plan_.videos.size;
    float* const differences = workspace->differences.row(0);
    double sum = 0;
    for (int y = 0; y < height; ++y) {
      const LabRow<float> reference =
          colours(frames.reference.value(), plan_.reference, y, workspace->reference);
      const LabRow<float> distorted = colours(frames.distorted, plan_.distorted, y, workspace->distorted);
      differences_({reference.l, reference.a, reference.b}, {distorted.l, distorted.a, distorted.b}, width,
                   differences);
      for (int x = 0; x < width; ++x) sum += differences[x];
    }
    return {.values = {ciede::score(plan_, sum)}};
  }

  std::string simd() const override { return simd_; }

 private:
  LabRow<float> colours(const Frame& frame, const Spread& spread, int y, Workspace::Picture& picture) const {
    picture.samples.fill(frame, spread, y);
    colours_(picture.samples.row(plan_.videos.bit_depth), picture.lab());
    return picture.lab();
  }

  const CiedePlan plan_;
  const Colours colours_;
  const Differences differences_;
  const std::string simd_;
  WorkspacePool<Workspace> workspaces_;
};

// Three rows of samples and colours for each picture, one of differences, and their guards.
FeatureMemory memory(const OptionSet&, const VideoFormats& formats, const Execution& execution) {
  const int64_t row =
      int64_t{formats.distorted.width} * static_cast<int64_t>(sizeof(float)) + 2 * int64_t{kRowGuardBytes};
  return {.fixed = thread_count(execution) * 13 * row};
}

constexpr Backend kBackends[] = {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan};

constexpr MetricInfo kMetrics[] = {
    {.name = kMetricName,
     .title = "CIEDE2000",
     .unit = "dB",
     .subject = "distortion",
     .better = Better::kHigher,
     .usual_top = 60,
     .explanation =
         "How little the colours differ from the reference's for the eye, in decibels: 6 dB less is twice "
         "the mean "
         "difference, and a mean difference of 1, which is about the smallest that is seen, has 45 dB.",
     .is_unbounded = true}};

std::vector<StageBytes> stage_bytes(const OptionSet&, const VideoFormats& formats, Backend backend) {
  const int64_t bytes =
      frame_bytes(formats.distorted, kMaxPlanes) + frame_bytes(formats.reference.value(), kMaxPlanes);
  if (!is_on_device(backend)) return {{std::string(kWholeStage), bytes}};
  const int64_t differences =
      int64_t{formats.distorted.width} * formats.distorted.height * static_cast<int64_t>(sizeof(float));
  return {{std::string(kDifferencesStage), bytes + differences},
          {std::string(kReadbackStage), differences},
          {std::string(kSumStage), differences}};
}

std::unique_ptr<HostFeature> make(const OptionSet&, const VideoFormats& formats, const Execution& execution) {
  return std::make_unique<CiedeHost>(make_plan(formats), execution);
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = {
      .name = kFeatureName,
      .summary = "mean CIEDE2000 difference of colours from the reference, in dB",
      .backends = kBackends,
      .publication =
          {.citation =
               "Sharma, Wu, Dalal: The CIEDE2000 Color-Difference Formula: Implementation Notes, "
               "Supplementary Test Data, and Mathematical Observations, Color Research & Application, 2005",
           .doi = "10.1002/col.20070"},
      .metrics = kMetrics,
      .metric_names = [](const OptionSet&) { return std::vector<std::string>{std::string(kMetricName)}; },
      .needs_reference = [](const OptionSet&) { return true; },
      .planes = [](const OptionSet&) { return kMaxPlanes; },
      .check = [](const OptionSet&, const VideoFormats& formats) { make_plan(formats); },
      .spreads_chroma = true,
      .memory = memory,
      .stage_bytes = stage_bytes,
      .make = make,
  };
  return kInfo;
}

}  // namespace vq::ciede
