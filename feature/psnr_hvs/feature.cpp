#include "feature/psnr_hvs/feature.h"

#include <limits>

#include "core/worker_pool.h"
#include "feature/psnr_hvs/options.h"
#include "feature/psnr_hvs/plan.h"
#include "feature/psnr_hvs/stages.h"

namespace vq::psnr_hvs {
namespace {

constexpr Backend kBackends[] = {Backend::kScalar, Backend::kCpu};

constexpr MetricInfo psnr_hvs_of(std::string_view name, std::string_view title, bool is_detail) {
  return {.name = name,
          .title = title,
          .unit = "dB",
          .subject = "distortion",
          .better = Better::kHigher,
          .flawless = std::numeric_limits<double>::infinity(),
          .usual_top = 60,
          .explanation = "How little of the difference from the reference is seen, in decibels: errors count by how well the "
                         "eye resolves their detail, and less where the picture's own detail hides them.",
          .is_unbounded = true,
          .is_detail = is_detail};
}
constexpr MetricInfo kMetrics[] = {psnr_hvs_of("psnr_hvs_y", "PSNR-HVS of luma", true),
                                   psnr_hvs_of("psnr_hvs_cb", "PSNR-HVS of Cb", true),
                                   psnr_hvs_of("psnr_hvs_cr", "PSNR-HVS of Cr", true),
                                   psnr_hvs_of("psnr_hvs", "PSNR-HVS", false)};

std::vector<std::string> names(const OptionSet&) {
  return metric_names();
}

bool needs_reference(const OptionSet&) {
  return true;
}

int planes(const OptionSet&) {
  return kMaxPlanes;
}

void check(const OptionSet&, const InputFormats& formats) {
  make_plan(formats);
}

FeatureMemory memory(const OptionSet&, const InputFormats& formats, const Execution& execution) {
  const int64_t threads = thread_count(execution);
  return {.fixed = threads * Bands::bytes(formats.distorted.width)};
}

std::vector<StageBytes> stage_bytes(const OptionSet&, const InputFormats& formats, Backend) {
  const int64_t bytes = frame_bytes(formats.distorted, kMaxPlanes) + frame_bytes(formats.reference.value(), kMaxPlanes);
  return {{std::string(kWholeStage), bytes}};
}

std::unique_ptr<HostFeature> make(const OptionSet&, const InputFormats& formats, const Execution& execution) {
  return make_host_feature(make_plan(formats), execution);
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = {
      .name = "psnr_hvs",
      .summary = "PSNR of what is seen of the differences from the reference, in dB (PSNR-HVS-M)",
      .options = option_specs(),
      .backends = kBackends,
      .publication = {.citation = "N. Ponomarenko, F. Silvestri, K. Egiazarian, M. Carli, J. Astola, V. Lukin: On "
                                  "between-coefficient contrast masking of DCT basis functions. VPQM 2007"},
      .metrics = kMetrics,
      .metric_names = names,
      .needs_reference = needs_reference,
      .planes = planes,
      .check = check,
      .memory = memory,
      .stage_bytes = stage_bytes,
      .make = make,
  };
  return kInfo;
}

}  // namespace vq::psnr_hvs
