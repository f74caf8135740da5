#include "feature/psnr/psnr.h"

#include "feature/psnr/plan.h"
#include "feature/psnr/stages.h"
#include "feature/simd_targets.h"

namespace vq::psnr {
namespace {

class PsnrHost final : public HostFeature {
 public:
  PsnrHost(const PsnrPlan& plan, const Execution& execution)
      : plan_(plan),
        squared_error_(host_stage(execution, scalar::squared_error, simd::squared_error_for)),
        simd_(host_simd(execution)) {}

  FrameResult score(const FramePair& frames) override {
    std::vector<PlaneError> planes;
    for (size_t i = 0; i < static_cast<size_t>(plan_.planes); ++i) {
      const Samples distorted = {frames.distorted.planes[i], plan_.distorted_shift};
      const Samples reference = {frames.reference.value().planes[i], plan_.reference_shift};
      const PlaneSize size = plan_.sizes[i];
      planes.push_back({squared_error_(distorted, reference), int64_t{size.width} * size.height});
    }
    return frame_result(plan_, planes);
  }

  std::string simd() const override { return simd_; }

 private:
  const PsnrPlan plan_;
  const SquaredError squared_error_;
  const std::string simd_;
};

constexpr Backend kBackends[] = {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan};

// 60 dB is the limit of 8-bit video; that of deeper video is higher. No value says that there is no
// difference: at the limit there may be a small one.
constexpr MetricInfo psnr_of(std::string_view name, std::string_view title) {
  return {
      .name = name,
      .title = title,
      .unit = "dB",
      .subject = "distortion",
      .better = Better::kHigher,
      .usual_top = 60,
      .explanation =
          "How little the samples differ from the reference's, in decibels: 3 dB less is twice the squared "
          "error. It does not know what eyes see."};
}
constexpr MetricInfo mse_of(std::string_view name, std::string_view title) {
  return {.name = name,
          .title = title,
          .subject = "distortion",
          .better = Better::kLower,
          .flawless = 0,
          .explanation = "The mean of the squared differences between samples and the reference's."};
}
constexpr MetricInfo of_luma() {
  MetricInfo info = psnr_of("psnr_y", "PSNR");
  info.alias = "psnr";
  return info;
}
constexpr MetricInfo kMetrics[] = {of_luma(),
                                   psnr_of("psnr_cb", "PSNR of Cb"),
                                   psnr_of("psnr_cr", "PSNR of Cr"),
                                   mse_of("mse_y", "squared error"),
                                   mse_of("mse_cb", "squared error of Cb"),
                                   mse_of("mse_cr", "squared error of Cr")};

std::vector<std::string> names(const OptionSet& set) {
  return metric_names(to_options(set), kMaxPlanes);
}

bool needs_reference(const OptionSet&) {
  return true;
}

int planes(const OptionSet& set) {
  return compared_planes(to_options(set), kMaxPlanes);
}

bool needs_every_frame(const OptionSet& set) {
  return to_options(set).apsnr;
}

std::vector<std::pair<std::string, double>> aggregates_of(const OptionSet& set, const VideoFormats& formats,
                                                          std::span<const double> totals) {
  return aggregates(make_plan(to_options(set), formats), totals);
}

// Video without chroma is compared by its luma, as the reference does.
Resolution resolve(OptionSet& set, const VideoFormats& formats, AskedBy) {
  const auto has_chroma = [](const VideoFormat& video) { return plane_count(video.chroma) > 1; };
  const bool both = has_chroma(formats.distorted) && (!formats.reference || has_chroma(*formats.reference));
  if (both || !set.get_bool("enable_chroma")) return {};
  set.resolve("enable_chroma", "false");
  return {.notes = {"psnr of luma alone (there is video without chroma)"}, .warnings = {}};
}

void check(const OptionSet& set, const VideoFormats& formats) {
  make_plan(to_options(set), formats);
}

std::vector<StageBytes> stage_bytes(const OptionSet& set, const VideoFormats& formats, Backend backend) {
  const int planes = make_plan(to_options(set), formats).planes;
  const int64_t bytes =
      frame_bytes(formats.distorted, planes) + frame_bytes(formats.reference.value(), planes);
  return {{is_on_device(backend) ? "squared_error" : std::string(kWholeStage), bytes}};
}

std::unique_ptr<HostFeature> make(const OptionSet& set, const VideoFormats& formats,
                                  const Execution& execution) {
  return std::make_unique<PsnrHost>(make_plan(to_options(set), formats), execution);
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = {
      .name = "psnr",
      .summary = "peak signal-to-noise ratio of each plane against the reference, in dB",
      .options = option_specs(),
      .backends = kBackends,
      .metrics = kMetrics,
      .metric_names = names,
      .needs_reference = needs_reference,
      .planes = planes,
      .needs_every_frame = needs_every_frame,
      .aggregates = aggregates_of,
      .resolve = resolve,
      .check = check,
      .stage_bytes = stage_bytes,
      .make = make,
  };
  return kInfo;
}

}  // namespace vq::psnr
