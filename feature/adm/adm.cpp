#include "feature/adm/adm.h"

#include "feature/adm/host.h"

namespace vq::adm {
namespace {

constexpr Backend kBackends[] = {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan};

constexpr std::string_view kDetailLoss = "detail loss", kImpairment = "added impairment";

// 1 is detail as in the reference; a little more or less comes of rounding, much more of sharpening.
constexpr MetricInfo kAdm2 = {.name = "integer_adm2",
                              .title = "ADM2",
                              .subject = kDetailLoss,
                              .better = Better::kHigher,
                              .usual_top = 1,
                              .explanation =
                                  "How much of the reference's detail eyes still find: 1 for all of it, 0 "
                                  "for none. Detail that is sharper "
                                  "than the reference's may take it beyond 1.",
                              .decimals = 4};
constexpr MetricInfo kAim = {
    .name = "integer_aim",
    .title = "AIM",
    .subject = kImpairment,
    .better = Better::kLower,
    .flawless = 0,
    .explanation =
        "How much eyes find that the reference does not have, such as blocks and ringing, as a share of the "
        "reference's detail: 0 for nothing.",
    .decimals = 4};
constexpr MetricInfo kAdm3 = {.name = "integer_adm3",
                              .title = "ADM3",
                              .subject = kDetailLoss,
                              .better = Better::kHigher,
                              .usual_top = 1,
                              .explanation =
                                  "Detail that is kept and impairments that are added in one score: a mean "
                                  "of ADM2 and of 1 less AIM, by "
                                  "default with equal weights.",
                              .decimals = 4};

constexpr MetricInfo of_scale(std::string_view name, std::string_view title) {
  MetricInfo info = kAdm2;
  info.name = name;
  info.title = title;
  info.explanation =
      "The same for detail of one size: scale 0 is the finest, and each further one twice as coarse.";
  info.is_detail = true;
  return info;
}
constexpr MetricInfo of_fraction(std::string_view name, std::string_view title) {
  return {.name = name, .title = title, .subject = kDetailLoss, .decimals = 4, .is_detail = true};
}
constexpr MetricInfo again(std::string_view name, std::string_view title) {
  MetricInfo info = kAdm2;
  info.name = name;
  info.title = title;
  info.is_detail = true;
  return info;
}
constexpr MetricInfo kMetrics[] = {with_full_name(kAdm2, "VMAF_integer_feature_adm2_score"),
                                   with_full_name(kAim, "VMAF_integer_feature_aim_score"),
                                   with_full_name(kAdm3, "VMAF_integer_feature_adm3_score"),
                                   of_scale("integer_adm_scale0", "ADM at scale 0"),
                                   of_scale("integer_adm_scale1", "ADM at scale 1"),
                                   of_scale("integer_adm_scale2", "ADM at scale 2"),
                                   of_scale("integer_adm_scale3", "ADM at scale 3"),
                                   again("integer_adm", "ADM2 once more"),
                                   of_fraction("integer_adm_num", "restored detail"),
                                   of_fraction("integer_adm_den", "reference detail"),
                                   of_fraction("integer_adm_num_scale0", "restored detail at scale 0"),
                                   of_fraction("integer_adm_den_scale0", "reference detail at scale 0"),
                                   of_fraction("integer_adm_num_scale1", "restored detail at scale 1"),
                                   of_fraction("integer_adm_den_scale1", "reference detail at scale 1"),
                                   of_fraction("integer_adm_num_scale2", "restored detail at scale 2"),
                                   of_fraction("integer_adm_den_scale2", "reference detail at scale 2"),
                                   of_fraction("integer_adm_num_scale3", "restored detail at scale 3"),
                                   of_fraction("integer_adm_den_scale3", "reference detail at scale 3")};

bool needs_reference(const OptionSet&) {
  return true;
}

// Options that the reference implementation accepts and that change nothing, or nothing to the better.
std::vector<std::string> advice(const OptionSet& set, const VideoFormats&) {
  std::vector<std::string> lines;
  const AdmOptions options = to_options(set);
  const bool is_barten = options.csf_mode == CsfMode::kBarten;
  for (const char* const name : {"adm_csf_scale", "adm_csf_diag_scale"}) {
    if (is_barten || set.is_default(name)) continue;
    lines.push_back(std::string(name) + " has no effect: it counts only with adm_csf_mode=1");
  }
  if (is_barten && sensitivity_overflows(options)) {
    lines.push_back(
        "adm_csf_mode=1 overflows the reference's arithmetic with these factors, and scores mean nothing; "
        "try "
        "adm_csf_scale=0.01:adm_csf_diag_scale=0.005");
  }
  return lines;
}

void check(const OptionSet& set, const VideoFormats& formats) {
  make_plan(to_options(set), formats);
}

FeatureMemory memory(const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
  return host_memory(make_plan(to_options(set), formats), execution);
}

std::vector<StageBytes> stage_bytes(const OptionSet&, const VideoFormats& formats, Backend) {
  return {{std::string(kWholeStage),
           frame_bytes(formats.distorted, 1) + frame_bytes(formats.reference.value(), 1)}};
}

std::unique_ptr<HostFeature> make(const OptionSet& set, const VideoFormats& formats,
                                  const Execution& execution) {
  return make_host_feature(make_plan(to_options(set), formats), execution);
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = {
      .name = "adm",
      .summary =
          "detail that is lost and impairments that are added, against the reference (adm2, aim, adm3)",
      .options = option_specs(),
      .backends = kBackends,
      .publication =
          {.citation =
               "S. Li, F. Zhang, L. Ma, K. N. Ngan: Image Quality Assessment by Separately Evaluating Detail "
               "Losses and Additive Impairments. IEEE Transactions on Multimedia 13(5), 2011",
           .doi = "10.1109/TMM.2011.2152382"},
      .metrics = kMetrics,
      .metric_names = metric_names,
      .needs_reference = needs_reference,
      .bounded_luma = [](const OptionSet&) { return BoundedLuma::kBoth; },
      .advice = advice,
      .check = check,
      .memory = memory,
      .stage_bytes = stage_bytes,
      .make = make,
  };
  return kInfo;
}

}  // namespace vq::adm
