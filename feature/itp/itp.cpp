#include "feature/itp/itp.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.h"

namespace vq::itp {
namespace {

using Rows = std::array<std::array<double, 3>, kRows>;

// ITU-R BT.2100's LMS of BT.2020's R, G and B, whose luminance, and they themselves.
constexpr Rows kOfBt2020 = {{{1688.0 / 4096, 2146.0 / 4096, 262.0 / 4096},
                             {683.0 / 4096, 2951.0 / 4096, 462.0 / 4096},
                             {99.0 / 4096, 309.0 / 4096, 3688.0 / 4096},
                             {0.2627, 0.678, 0.0593},
                             {1, 0, 0},
                             {0, 1, 0},
                             {0, 0, 1}}};
// ITU-R BT.2087, from BT.709's primaries to BT.2020's.
constexpr double kBt709ToBt2020[3][3] = {{0.627403895934699, 0.329283038377884, 0.043313065687417},
                                         {0.069097289358232, 0.919540395075459, 0.011362315566309},
                                         {0.016391438875150, 0.088013307877226, 0.895595253247624}};

// `scale`: of the light 1, in 100 cd/m2.
Matrices matrices_of(bool is_bt2020, double scale) {
  Matrices matrices = {};
  for (size_t row = 0; row < kRows; ++row) {
    for (size_t column = 0; column < 3; ++column) {
      double sum = is_bt2020 ? kOfBt2020[row][column] : 0;
      for (size_t i = 0; i < 3 && !is_bt2020; ++i) sum += kOfBt2020[row][i] * kBt709ToBt2020[i][column];
      matrices[row][column] = static_cast<float>(sum * scale);
    }
  }
  return matrices;
}

double scale_of(light::Curve curve, double white) {
  if (curve == light::Curve::kHlg) return 10;
  return curve == light::Curve::kPq ? 1 : white / 100;
}

// Tallies: the upper and the lower 32 bits of both sums of squared errors, so that sums of them over 2^21
// frames are exact, and the samples.
constexpr double kUpperUnit = 4294967296.0;

double psnr(double squared, double samples) {
  if (squared == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(65535.0 * 65535.0 * samples / squared);
}

struct Workspace {
  Workspace(const Plan& plan, const light::Stages& stages)
      : first(stages, plan.distorted),
        second(stages, plan.reference),
        light(plan.distorted.size.width, 6),
        amounts(plan.distorted.size.width, 1) {}

  light::RgbRow<float> row(int video) {
    return {light.row(3 * video), light.row(3 * video + 1), light.row(3 * video + 2)};
  }

  light::LightRows first, second;
  Plane<float> light;
  Plane<uint32_t> amounts;
};

class ItpHost final : public light::LightHost<Plan, Stages, Workspace> {
 public:
  using LightHost::LightHost;

  FrameResult score(const FramePair& frames) override {
    const auto workspace = workspaces_.take();
    const auto [width, height] = plan_.distorted.size;
    const light::RgbRow<float> first = workspace->row(0), second = workspace->row(1);
    const Compared compared = {{first.r, first.g, first.b},
                               {second.r, second.g, second.b},
                               plan_.distorted_matrices,
                               plan_.reference_matrices};
    uint32_t* const amounts = workspace->amounts.row(0);
    light::Amounts differences;
    PqErrors errors;
    workspace->first.start(frames.distorted);
    workspace->second.start(frames.reference.value());
    for (int y = 0; y < height; ++y) {
      workspace->first.row(y, first);
      workspace->second.row(y, second);
      const PqErrors of_row = stages_.differences(compared, width, amounts);
      errors.luminance += of_row.luminance;
      errors.rgb += of_row.rgb;
      differences.add({amounts, static_cast<size_t>(width)});
    }
    return frame_result(differences, errors);
  }
};

constexpr MetricInfo difference_of(std::string_view name, std::string_view title,
                                   std::string_view explanation, bool is_detail) {
  return {.name = name,
          .title = title,
          .subject = "colour difference",
          .better = Better::kLower,
          .flawless = 0,
          .explanation = explanation,
          .is_detail = is_detail};
}
constexpr MetricInfo psnr_of(std::string_view name, std::string_view title, std::string_view explanation) {
  return {.name = name,
          .title = title,
          .unit = "dB",
          .subject = "distortion",
          .better = Better::kHigher,
          .usual_top = 60,
          .explanation = explanation,
          .is_unbounded = true,
          .is_detail = true};
}
constexpr MetricInfo kMetrics[] = {
    difference_of("delta_e_itp", "Delta E ITP",
                  "The mean difference of colours from the reference's, as light in ICtCp: 1 is just seen by "
                  "an eye that is adapted to that colour.",
                  false),
    difference_of("delta_e_itp_p95", "Delta E ITP, 95 %",
                  "The difference that 95 % of the picture do not exceed.", true),
    difference_of("delta_e_itp_p99", "Delta E ITP, 99 %",
                  "The difference that 99 % of the picture do not exceed.", true),
    difference_of("delta_e_itp_max", "largest Delta E ITP", "The largest difference of a pixel.", true),
    difference_of("delta_e_itp_visible", "share of visible differences",
                  "The share of the picture whose difference is over 1, which may be seen.", true),
    psnr_of(
        "psnr_pq_y", "PSNR of PQ luminance",
        "How little the luminance differs from the reference's, in decibels, in steps as PQ has them, which "
        "the eye takes for nearly equal."),
    psnr_of("psnr_pq_rgb", "PSNR of PQ RGB", "The same of R, G and B of BT.2020 together.")};

Resolution resolve(OptionSet& set, const VideoFormats& formats, AskedBy) {
  const VideoFormat* const reference = formats.reference ? &*formats.reference : nullptr;
  return {.notes = light::notes_on(options_of<Itp>(set), formats.distorted, reference), .warnings = {}};
}

}  // namespace

Plan Itp::make_plan(const Options& options, const VideoFormats& formats) {
  compared_videos(kFeatureName, formats);
  Plan plan;
  const auto set = [&](const VideoFormat& video, light::Conversion& conversion, Matrices& matrices) {
    light::Reading reading = light::reading_of(options, video);
    matrices = matrices_of(reading.has_bt2020_primaries, scale_of(reading.curve, options.white));
    reading.has_bt2020_primaries = false;
    conversion = light::make_conversion(reading, video);
  };
  set(formats.distorted, plan.distorted, plan.distorted_matrices);
  set(*formats.reference, plan.reference, plan.reference_matrices);
  return plan;
}

std::vector<std::string> Itp::names(const Options&) {
  std::vector<std::string> names;
  for (const MetricInfo& metric : kMetrics) names.emplace_back(metric.name);
  return names;
}

FrameResult frame_result(const light::Amounts& differences, const PqErrors& errors) {
  const auto samples = static_cast<double>(differences.samples);
  FrameResult result{.values = {differences.mean(), differences.percentile(9500),
                                differences.percentile(9900), differences.largest(), differences.visible(),
                                psnr(static_cast<double>(errors.luminance), samples),
                                psnr(static_cast<double>(errors.rgb), 3 * samples)}};
  for (const uint64_t sum : {errors.luminance, errors.rgb}) {
    result.tallies.push_back(static_cast<double>(sum >> 32));
    result.tallies.push_back(static_cast<double>(sum & UINT32_MAX));
  }
  result.tallies.push_back(samples);
  return result;
}

std::vector<std::pair<std::string, double>> Itp::aggregates(const Plan&, std::span<const double> totals) {
  if (totals.empty()) return {};
  const double luminance = totals[0] * kUpperUnit + totals[1], rgb = totals[2] * kUpperUnit + totals[3];
  return {{"apsnr_pq_y", psnr(luminance, totals[4])}, {"apsnr_pq_rgb", psnr(rgb, 3 * totals[4])}};
}

std::unique_ptr<HostFeature> make_host_feature(const Plan& plan, const Execution& execution) {
  return std::make_unique<ItpHost>(plan, execution);
}

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Itp, ItpHost>(
      {.name = kFeatureName,
       .summary = "Delta E ITP, the difference of colours in light of any brightness, and PSNR of PQ light",
       .publication = {.citation = "ITU-R BT.2124: Objective metric for the assessment of the potential "
                                   "visibility of colour differences in television, 2019"},
       .metrics = kMetrics,
       .resolve = resolve,
       .reading =
           [](const OptionSet& set, const VideoFormat& video) {
             return light::in_words(light::reading_of(options_of<Itp>(set), video), video);
           },
       .spreads_chroma = true});
  return kInfo;
}

}  // namespace vq::itp
