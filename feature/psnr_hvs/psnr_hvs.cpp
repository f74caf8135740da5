#include "feature/psnr_hvs/psnr_hvs.h"

#include <limits>

#include "core/workspace_pool.h"
#include "feature/psnr_hvs/plan.h"
#include "feature/psnr_hvs/stages.h"
#include "feature/simd_targets.h"

namespace vq::psnr_hvs {
namespace {

class PsnrHvsHost final : public HostFeature {
 public:
  PsnrHvsHost(const PsnrHvsPlan& plan, const Execution& execution)
      : plan_(plan),
        error_sum_(host_stage(execution, scalar::error_sum, simd::error_sum_for)),
        simd_(host_simd(execution)),
        bands_([width = plan.sizes[0].width] { return std::make_unique<Bands>(width); }) {}

  FrameResult score(const FramePair& frames) override {
    const auto bands = bands_.take();
    std::array<float, kMaxPlanes> sums;
    for (size_t i = 0; i < sums.size(); ++i) {
      const Samples reference = {frames.reference.value().planes[i], plan_.reference_shift};
      const Samples distorted = {frames.distorted.planes[i], plan_.distorted_shift};
      sums[i] = error_sum_(reference, distorted, plan_.weights[i], *bands);
    }
    return {.values = scores(plan_, sums)};
  }

  std::string simd() const override { return simd_; }

 private:
  const PsnrHvsPlan plan_;
  const ErrorSum error_sum_;
  const std::string simd_;
  WorkspacePool<Bands> bands_;
};

constexpr Backend kBackends[] = {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan};

constexpr MetricInfo psnr_hvs_of(std::string_view name, std::string_view title, bool is_detail) {
  return {.name = name,
          .title = title,
          .unit = "dB",
          .subject = "distortion",
          .better = Better::kHigher,
          .flawless = std::numeric_limits<double>::infinity(),
          .usual_top = 60,
          .explanation =
              "How little of the difference from the reference is seen, in decibels: errors count by how "
              "well the "
              "eye resolves their detail, and less where the picture's own detail hides them.",
          .is_unbounded = true,
          .is_detail = is_detail};
}
constexpr MetricInfo kMetrics[] = {
    psnr_hvs_of("psnr_hvs_y", "PSNR-HVS of luma", true), psnr_hvs_of("psnr_hvs_cb", "PSNR-HVS of Cb", true),
    psnr_hvs_of("psnr_hvs_cr", "PSNR-HVS of Cr", true), psnr_hvs_of("psnr_hvs", "PSNR-HVS", false)};

// Each plane, and all together.
std::vector<std::string> metric_names(const OptionSet&) {
  return {"psnr_hvs_y", "psnr_hvs_cb", "psnr_hvs_cr", "psnr_hvs"};
}

bool needs_reference(const OptionSet&) {
  return true;
}

int planes(const OptionSet&) {
  return kMaxPlanes;
}

void check(const OptionSet&, const VideoFormats& formats) {
  make_plan(formats);
}

FeatureMemory memory(const OptionSet&, const VideoFormats& formats, const Execution& execution) {
  const int64_t threads = thread_count(execution);
  return {.fixed = threads * Bands::bytes(formats.distorted.width)};
}

std::vector<StageBytes> stage_bytes(const OptionSet&, const VideoFormats& formats, Backend backend) {
  const int64_t planes =
      frame_bytes(formats.distorted, kMaxPlanes) + frame_bytes(formats.reference.value(), kMaxPlanes);
  if (!is_on_device(backend)) return {{std::string(kWholeStage), planes}};
  int64_t blocks = 0;
  for (const PlaneSize size : make_plan(formats).sizes)
    blocks += int64_t{blocks_along(size.width)} * blocks_along(size.height);
  const int64_t terms = blocks * kBlockSamples * static_cast<int64_t>(sizeof(float));
  return {{std::string(kTermsStage), planes + terms}, {std::string(kSumStage), terms}};
}

std::unique_ptr<HostFeature> make(const OptionSet&, const VideoFormats& formats, const Execution& execution) {
  return std::make_unique<PsnrHvsHost>(make_plan(formats), execution);
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = {
      .name = "psnr_hvs",
      .summary = "PSNR of the visible differences from the reference, in dB (PSNR-HVS-M)",
      .backends = kBackends,
      .publication = {.citation =
                          "N. Ponomarenko, F. Silvestri, K. Egiazarian, M. Carli, J. Astola, V. Lukin: On "
                          "between-coefficient contrast masking of DCT basis functions. VPQM 2007"},
      .metrics = kMetrics,
      .metric_names = metric_names,
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
