#include "feature/psnr/psnr.h"

#include <hwy/base.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.h"

namespace vq::psnr {
namespace {

// So that identical planes have a finite PSNR, which the limit then replaces.
constexpr double kLeastMse = 1e-16;

double squared_peak(const PsnrOptions& options, int bit_depth) {
  const int64_t peak =
      options.reduced_hbd_peak ? int64_t{255} << (bit_depth - 8) : (int64_t{1} << bit_depth) - 1;
  return static_cast<double>(peak * peak);
}

// Tallies of a plane: the upper and the lower 32 bits of its sum of squared errors, so that sums of them over
// 2^21 frames are exact, and its samples.
constexpr size_t kTallies = 3;
constexpr double kUpperUnit = 4294967296.0;  // 2^32

constexpr int kUsualLumaWeight = 6;

// The weight is in the name of what depends on it, unless it is the usual one.
std::string yuv_name(std::string_view name, const PsnrOptions& options) {
  return options.luma_weight == kUsualLumaWeight ? std::string(name)
                                                 : words("{}_{}", name, options.luma_weight);
}

}  // namespace

std::vector<std::string> Psnr::names(const Options& options) {
  std::vector<std::string> names;
  for (int i = 0; i < planes(options); ++i) {
    const std::string plane(kPlaneNames[static_cast<size_t>(i)]);
    names.push_back("psnr_" + plane);
    if (options.mse) names.push_back("mse_" + plane);
  }
  if (options.luma_weight > 0) names.push_back(yuv_name("psnr_yuv", options));
  return names;
}

std::vector<std::string> aggregate_names(const PsnrOptions& options) {
  std::vector<std::string> names;
  if (!options.apsnr) return names;
  for (const std::string_view plane : kPlaneNames) names.push_back("apsnr_" + std::string(plane));
  if (options.luma_weight > 0) names.insert(names.end(), {yuv_name("apsnr_yuv", options), "apsnr_all"});
  return names;
}

Scorer::Scorer(const PsnrOptions& options, int bit_depth)
    : options_(options), bit_depth_(bit_depth), squared_peak_(squared_peak(options, bit_depth)) {
  HWY_DASSERT(8 <= bit_depth && bit_depth <= 16);
}

double Scorer::mse(const PlaneError& error) {
  return static_cast<double>(error.squared) / static_cast<double>(error.samples);
}

double Scorer::psnr(const PlaneError& error) const {
  return std::min(10 * std::log10(squared_peak_ / std::max(mse(error), kLeastMse)), limit(error.samples));
}

double Scorer::limit(int64_t samples) const {
  if (options_.min_sse == 0) return 6 * bit_depth_ + 12;
  return std::ceil(10 * std::log10(squared_peak_ / (options_.min_sse / static_cast<double>(samples))));
}

// log10(0) is -infinity: without an error the limit is all that is left, without samples that is -infinity.
double Scorer::apsnr(const TotalError& error) const {
  const auto samples = static_cast<double>(error.samples), squared = static_cast<double>(error.squared);
  const double top = std::ceil(10 * std::log10(squared_peak_ * samples * 2));
  if (error.squared == 0) return top;
  return std::min(10 * (std::log10(squared_peak_) + std::log10(samples) - std::log10(squared)), top);
}

double Scorer::uncapped(const TotalError& error) const {
  if (error.squared == 0) return std::numeric_limits<double>::infinity();
  return 10 *
         std::log10(squared_peak_ * static_cast<double>(error.samples) / static_cast<double>(error.squared));
}

double Scorer::yuv(std::span<const TotalError> planes) const {
  double sum = 0, weights = 0;
  for (const TotalError& plane : planes) {
    if (plane.samples == 0) continue;
    const double weight = weights == 0 ? options_.luma_weight : 1;
    sum += weight * uncapped(plane);
    weights += weight;
  }
  return sum / weights;
}

double Scorer::all(std::span<const TotalError> planes) const {
  TotalError sum;
  for (const TotalError& plane : planes) {
    sum.squared += plane.squared;
    sum.samples += plane.samples;
  }
  return uncapped(sum);
}

std::vector<double> Scorer::frame_scores(std::span<const PlaneError> planes) const {
  std::vector<double> scores;
  for (const PlaneError& plane : planes) {
    scores.push_back(psnr(plane));
    if (options_.mse) scores.push_back(mse(plane));
  }
  std::vector<TotalError> totals;
  for (const PlaneError& plane : planes) totals.push_back({plane.squared, plane.samples});
  if (options_.luma_weight > 0) scores.push_back(yuv(totals));
  return scores;
}

std::vector<double> Scorer::aggregates(const std::array<TotalError, kPlaneNames.size()>& planes) const {
  std::vector<double> figures;
  if (!options_.apsnr) return figures;
  for (const TotalError& plane : planes) figures.push_back(apsnr(plane));
  if (options_.luma_weight > 0) figures.insert(figures.end(), {yuv(planes), all(planes)});
  return figures;
}

// PSNR of all planes together has no limit, and MSE no score that would be a floor of its PSNR.
ScoreEnds Psnr::score_ends(const Plan& plan, size_t place) {
  const size_t step = plan.options.mse ? 2 : 1, plane = place / step;
  if (plane >= static_cast<size_t>(plan.planes) || place % step != 0) return {.low = 0};
  if (plan.options.reduced_hbd_peak) return {};
  const PlaneSize size = plan.sizes[plane];
  const Scorer scorer(plan.options, plan.bit_depth);
  return {.low = 0, .high = scorer.limit(int64_t{size.width} * size.height)};
}

PsnrPlan Psnr::make_plan(const Options& options, const VideoFormats& formats) {
  const ComparedVideos videos = compared_videos("psnr", formats);
  if (options.chroma) require_same_chroma("psnr", formats, "enable_chroma=false");
  PsnrPlan plan;
  plan.options = options;
  plan.planes = std::min(planes(options), plane_count(formats.distorted.chroma));
  for (int i = 0; i < plan.planes; ++i) plan.sizes[static_cast<size_t>(i)] = plane_size(formats.distorted, i);
  plan.bit_depth = videos.bit_depth;
  plan.distorted_shift = videos.distorted_shift;
  plan.reference_shift = videos.reference_shift;
  return plan;
}

FrameResult frame_result(const PsnrPlan& plan, std::span<const PlaneError> planes) {
  FrameResult result = {.values = Scorer(plan.options, plan.bit_depth).frame_scores(planes)};
  if (!plan.options.apsnr) return result;
  for (const PlaneError& plane : planes) {
    const double upper = static_cast<double>(plane.squared >> 32);
    const double lower = static_cast<double>(plane.squared & 0xFFFFFFFF);
    result.tallies.insert(result.tallies.end(), {upper, lower, static_cast<double>(plane.samples)});
  }
  return result;
}

std::vector<std::pair<std::string, double>> Psnr::aggregates(const Plan& plan,
                                                             std::span<const double> totals) {
  std::array<TotalError, kPlaneNames.size()> planes;
  for (size_t i = 0; kTallies * (i + 1) <= totals.size() && i < planes.size(); ++i) {
    const std::span<const double> plane = totals.subspan(kTallies * i, kTallies);
    planes[i].squared =
        static_cast<ExactSum>(plane[0]) * static_cast<ExactSum>(kUpperUnit) + static_cast<ExactSum>(plane[1]);
    planes[i].samples = static_cast<int64_t>(plane[2]);
  }
  const std::vector<std::string> names = aggregate_names(plan.options);
  const std::vector<double> values = Scorer(plan.options, plan.bit_depth).aggregates(planes);
  std::vector<std::pair<std::string, double>> result;
  for (size_t i = 0; i < names.size(); ++i) result.emplace_back(names[i], values[i]);
  return result;
}

namespace {

class PsnrHost final : public PlannedHost<PsnrPlan, Stages> {
 public:
  using PlannedHost::PlannedHost;

  FrameResult score(const FramePair& frames) override {
    std::vector<PlaneError> planes;
    for (size_t i = 0; i < static_cast<size_t>(plan_.planes); ++i) {
      const Samples distorted = {frames.distorted.planes[i], plan_.distorted_shift};
      const Samples reference = {frames.reference.value().planes[i], plan_.reference_shift};
      const PlaneSize size = plan_.sizes[i];
      planes.push_back({stages_.squared_error(distorted, reference), int64_t{size.width} * size.height});
    }
    return frame_result(plan_, planes);
  }
};

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
constexpr MetricInfo yuv_metric() {
  MetricInfo info = psnr_of("psnr_yuv", "PSNR-YUV");
  info.explanation =
      "The weighted mean of the PSNR of luma and both chroma planes, in decibels. It is infinite if one of "
      "them "
      "is without errors.";
  info.is_unbounded = true;
  return info;
}
constexpr MetricInfo kMetrics[] = {of_luma(),
                                   psnr_of("psnr_cb", "PSNR of Cb"),
                                   psnr_of("psnr_cr", "PSNR of Cr"),
                                   yuv_metric(),
                                   mse_of("mse_y", "squared error"),
                                   mse_of("mse_cb", "squared error of Cb"),
                                   mse_of("mse_cr", "squared error of Cr")};

// Video without chroma is compared by its luma, as the reference does.
Resolution resolve(OptionSet& set, const VideoFormats& formats, AskedBy) {
  Resolution resolution;
  resolve_chroma("psnr", set, formats, resolution);
  return resolution;
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Psnr, PsnrHost>(
      {.name = "psnr",
       .summary = "peak signal-to-noise ratio of each plane against the reference, in dB",
       .metrics = kMetrics,
       .resolve = resolve});
  return kInfo;
}

}  // namespace vq::psnr
