#include "feature/xpsnr/xpsnr.h"

#include <algorithm>
#include <limits>

#include "core/text/number_text.h"
#include "core/workspace_pool.h"
#include "feature/simd_targets.h"
#include "feature/xpsnr/plan.h"
#include "feature/xpsnr/stages.h"

namespace vq::xpsnr {
namespace {

// What a thread needs for a frame.
struct Workspace {
  explicit Workspace(const XpsnrPlan& plan) : rows(plan.form.grid.plane.width), sums(plan) {}
  static int64_t bytes(const XpsnrPlan& plan) {
    return Rows::bytes(plan.form.grid.plane.width) + BlockSums::bytes(plan);
  }
  Rows rows;
  BlockSums sums;
};

class XpsnrHost final : public HostFeature {
 public:
  XpsnrHost(const XpsnrPlan& plan, const Execution& execution)
      : plan_(plan),
        block_activities_(host_stage(execution, scalar::block_activities, simd::block_activities_for)),
        block_errors_(host_stage(execution, scalar::block_errors, simd::block_errors_for)),
        simd_(host_simd(execution)),
        workspaces_([this] { return std::make_unique<Workspace>(plan_); }) {}

  FrameResult score(const FramePair& frames) override {
    const auto loan = workspaces_.take();
    const Frame& reference = frames.reference.value();
    if (plan_.is_weighted) {
      History history{.now = {reference.luma(), plan_.reference_shift}};
      const size_t before =
          std::min(frames.references_before.size(), static_cast<size_t>(plan_.form.frames_before()));
      for (size_t i = 0; i < before; ++i) history.before[i] = frames.references_before[i].luma();
      block_activities_(plan_.form, history, loan->rows, loan->sums.activities);
    }
    for (size_t i = 0; i < static_cast<size_t>(plan_.planes); ++i) {
      const Samples compared[] = {{reference.planes[i], plan_.reference_shift},
                                  {frames.distorted.planes[i], plan_.distorted_shift}};
      block_errors_(plan_.grids[i], {compared[0], compared[1]}, loan->rows, loan->sums.errors[i]);
    }
    return frame_result(plan_, weighted_errors(plan_, loan->sums));
  }

  std::string simd() const override { return simd_; }

 private:
  const XpsnrPlan plan_;
  const BlockActivities block_activities_;
  const BlockErrors block_errors_;
  const std::string simd_;
  WorkspacePool<Workspace> workspaces_;
};

constexpr Backend kBackends[] = {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan};

constexpr MetricInfo xpsnr_of(std::string_view name, std::string_view title, bool is_detail = false) {
  return {.name = name,
          .title = title,
          .unit = "dB",
          .subject = "distortion",
          .better = Better::kHigher,
          .flawless = std::numeric_limits<double>::infinity(),
          .usual_top = 60,
          .explanation =
              "How little the samples differ from the reference's, in decibels, where errors count less the "
              "busier the reference is around them, in the picture and from frame to frame.",
          .is_unbounded = true,
          .is_detail = is_detail};
}
constexpr MetricInfo least() {
  MetricInfo info = xpsnr_of("xpsnr_min", "least XPSNR of the planes");
  info.alias = "xpsnr";
  return info;
}
constexpr MetricInfo kMetrics[] = {xpsnr_of("xpsnr_y", "XPSNR"), xpsnr_of("xpsnr_u", "XPSNR of Cb", true),
                                   xpsnr_of("xpsnr_v", "XPSNR of Cr", true), least(),
                                   xpsnr_of("xpsnr_weighted", "weighted XPSNR of the planes", true)};

std::vector<std::string> names(const OptionSet& set) {
  return metric_names(to_options(set));
}

bool needs_reference(const OptionSet&) {
  return true;
}

int planes(const OptionSet& set) {
  return compared_planes(to_options(set), kMaxPlanes);
}

// As long as the rate is not known, as many as any takes.
NeighbourCount neighbours(const OptionSet& set) {
  const double fps = to_options(set).fps;
  return {.distorted = 0, .references = fps == 0 || is_fast(fps) ? 2 : 1};
}

// Frames that are not reported are the neighbours of those that are, and count in the figures of the run.
bool needs_every_frame(const OptionSet&) {
  return true;
}

std::vector<std::pair<std::string, double>> aggregates_of(const OptionSet& set, const VideoFormats& formats,
                                                          std::span<const double> totals) {
  return aggregates(make_plan(to_options(set), formats), totals);
}

// Video without chroma is compared by its luma. A video that does not say its rate is taken for a slow one.
Resolution resolve(OptionSet& set, const VideoFormats& formats, AskedBy) {
  Resolution resolution;
  const auto has_chroma = [](const VideoFormat& video) { return plane_count(video.chroma) > 1; };
  const bool both = has_chroma(formats.distorted) && (!formats.reference || has_chroma(*formats.reference));
  if (!both && set.get_bool("enable_chroma")) {
    set.resolve("enable_chroma", "false");
    resolution.notes.emplace_back("xpsnr of luma alone (there is video without chroma)");
  }
  if (set.get_real("fps") > 0) return resolution;
  const bool is_known = formats.distorted.frame_rate > 0;
  const double rate = is_known ? std::min(formats.distorted.frame_rate, kHighestRate) : kAssumedFrameRate;
  set.resolve("fps", number_text(rate, {NumberStyle::Kind::kShortest}));
  resolution.notes.push_back("xpsnr: fps=" + number_text(rate, {NumberStyle::Kind::kSignificant, 5}) +
                             (is_known ? " (from the stream)" : " (assumed)"));
  return resolution;
}

void check(const OptionSet& set, const VideoFormats& formats) {
  make_plan(to_options(set), formats);
}

FeatureMemory memory(const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
  return {.fixed = thread_count(execution) * Workspace::bytes(make_plan(to_options(set), formats))};
}

std::vector<StageBytes> stage_bytes(const OptionSet& set, const VideoFormats& formats, Backend backend) {
  const XpsnrPlan plan = make_plan(to_options(set), formats);
  const int64_t luma = frame_bytes(formats.reference.value(), 1);
  const int64_t activities = plan.is_weighted ? (1 + plan.form.frames_before()) * luma : 0;
  const int64_t errors =
      frame_bytes(formats.distorted, plan.planes) + frame_bytes(*formats.reference, plan.planes);
  if (!is_on_device(backend)) return {{std::string(kWholeStage), activities + errors}};
  return {{"block_activities", activities}, {"block_errors", errors}};
}

std::unique_ptr<HostFeature> make(const OptionSet& set, const VideoFormats& formats,
                                  const Execution& execution) {
  return std::make_unique<XpsnrHost>(make_plan(to_options(set), formats), execution);
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = {
      .name = "xpsnr",
      .summary = "PSNR of each plane with errors weighted by how busy the reference is, in dB (XPSNR)",
      .options = option_specs(),
      .backends = kBackends,
      .publication =
          {.citation = "C. R. Helmrich, S. Bosse, H. Schwarz, D. Marpe, T. Wiegand: A study of the extended "
                       "perceptually weighted peak signal-to-noise ratio (XPSNR) for video compression with "
                       "different resolutions and bit depths. ITU Journal: ICT Discoveries 3, 2020"},
      .metrics = kMetrics,
      .metric_names = names,
      .needs_reference = needs_reference,
      .planes = planes,
      .neighbours = neighbours,
      .needs_every_frame = needs_every_frame,
      .aggregates = aggregates_of,
      .resolve = resolve,
      .check = check,
      .memory = memory,
      .stage_bytes = stage_bytes,
      .make = make,
  };
  return kInfo;
}

}  // namespace vq::xpsnr
