#include "feature/vif/vif.h"

#include <array>
#include <numeric>

#include "core/worker_pool.h"
#include "feature/simd_targets.h"

namespace vq::vif {
namespace {

Pyramid make_pyramid(const VifPlan& plan) {
  Pyramid pyramid;
  for (size_t k = needs_copies(plan) ? 0 : 1; k < kScales; ++k) {
    pyramid[k] = Plane<uint16_t>(plan.sizes[k].width, plan.sizes[k].height);
  }
  return pyramid;
}

SampleView view_of(const Plane<uint16_t>& plane) {
  return {.u8 = {}, .u16 = plane.view()};
}

}  // namespace

Workspace::Workspace(const VifPlan& plan)
    : rows(plan.sizes[0].width), reference(make_pyramid(plan)), distorted(make_pyramid(plan)) {}

int64_t Workspace::bytes(const VifPlan& plan) {
  // Rows are padded to 64 bytes and have a guard of 64.
  constexpr int64_t kMargin = 128, kRows = 4 * 8 * 2 + 5 * 4;
  int64_t bytes = kRows * (std::max(plan.sizes[0].width, kPartWidth) + kMargin);
  for (size_t k = needs_copies(plan) ? 0 : 1; k < kScales; ++k) {
    bytes += 2 * (int64_t{plan.sizes[k].width} * 2 + kMargin) * (plan.sizes[k].height + 1);
  }
  return bytes;
}

FrameResult score_pictures(const VifPlan& plan, Pictures pictures, const VifStages& stages,
                           Workspace& workspace) {
  if (needs_copies(plan)) {
    widen(pictures.reference, plan.reference_shift, workspace.reference[0].view());
    widen(pictures.distorted, plan.distorted_shift, workspace.distorted[0].view());
    pictures = {view_of(workspace.reference[0]), view_of(workspace.distorted[0])};
  }
  std::array<Information, kScales> scales;
  for (int k = 0; k < kScales; ++k) {
    const auto i = static_cast<size_t>(k);
    if (k > 0) {
      const Scale above = {.index = k - 1, .bit_depth = plan.bit_depth};
      stages.decimate(pictures.reference, above, workspace.reference[i].view(), workspace.rows);
      stages.decimate(pictures.distorted, above, workspace.distorted[i].view(), workspace.rows);
      pictures = {view_of(workspace.reference[i]), view_of(workspace.distorted[i])};
    }
    if (k < plan.first_scale) continue;
    const Scale scale = {.index = k, .bit_depth = plan.bit_depth};
    scales[i] = information_of(stages.statistics(pictures, scale, plan.options.gain_limit, workspace.rows));
  }
  return frame_result(plan, scales);
}

namespace {

class VifHost final : public HostFeature {
 public:
  VifHost(const VifPlan& plan, const Execution& execution)
      : plan_(plan),
        stages_{.decimate = host_stage(execution, scalar::decimate, simd::decimate_for),
                .statistics = host_stage(execution, scalar::statistics, simd::statistics_for)},
        simd_(host_simd(execution)),
        workspaces_([plan] { return std::make_unique<Workspace>(plan); }) {}

  FrameResult score(const FramePair& frames) override {
    const auto workspace = workspaces_.take();
    return score_pictures(plan_, {frames.reference.value().luma(), frames.distorted.luma()}, stages_,
                          *workspace);
  }

  std::string simd() const override { return simd_; }
  static int64_t thread_bytes(const VifPlan& plan) { return Workspace::bytes(plan); }

 private:
  const VifPlan plan_;
  const VifStages stages_;
  const std::string simd_;
  WorkspacePool<Workspace> workspaces_;
};

constexpr MetricInfo score_of(std::string_view name, std::string_view title) {
  return {
      .name = name,
      .title = title,
      .subject = "distortion",
      .better = Better::kHigher,
      .usual_top = 1,
      .explanation =
          "How much of the reference's local information survives in the distorted video: 1 for identical "
          "pictures, more where contrast was enhanced."};
}
constexpr MetricInfo scale_of(std::string_view name, std::string_view title, std::string_view full_name) {
  return with_full_name(score_of(name, title), full_name);
}
// What the scores are quotients of says nothing by itself.
constexpr MetricInfo part_of(std::string_view name, std::string_view title) {
  return {.name = name, .title = title, .subject = "information", .decimals = 1, .is_detail = true};
}
// Of all scales together where that is reported, else of the finest.
constexpr MetricInfo called_vif(MetricInfo info) {
  info.alias = "vif";
  return info;
}
constexpr MetricInfo kMetrics[] = {
    called_vif(scale_of("integer_vif_scale0", "VIF of scale 0", "VMAF_integer_feature_vif_scale0_score")),
    scale_of("integer_vif_scale1", "VIF of scale 1", "VMAF_integer_feature_vif_scale1_score"),
    scale_of("integer_vif_scale2", "VIF of scale 2", "VMAF_integer_feature_vif_scale2_score"),
    scale_of("integer_vif_scale3", "VIF of scale 3", "VMAF_integer_feature_vif_scale3_score"),
    called_vif(score_of("integer_vif", "VIF")),
    part_of("integer_vif_num", "VIF's numerator"),
    part_of("integer_vif_den", "VIF's denominator"),
    part_of("integer_vif_num_scale0", "numerator of scale 0"),
    part_of("integer_vif_den_scale0", "denominator of scale 0"),
    part_of("integer_vif_num_scale1", "numerator of scale 1"),
    part_of("integer_vif_den_scale1", "denominator of scale 1"),
    part_of("integer_vif_num_scale2", "numerator of scale 2"),
    part_of("integer_vif_den_scale2", "denominator of scale 2"),
    part_of("integer_vif_num_scale3", "numerator of scale 3"),
    part_of("integer_vif_den_scale3", "denominator of scale 3")};

}  // namespace

// On a device every sample of a scale becomes a word of 4 bytes.
std::vector<StageBytes> Vif::stage_bytes(const Plan& plan, const VideoFormats& formats, Backend backend) {
  const int64_t input = frame_bytes(formats.distorted, 1) + frame_bytes(formats.reference.value(), 1);
  if (!is_on_device(backend)) return {{std::string(kWholeStage), input}};
  std::array<int64_t, kScales> bytes = {};
  for (size_t k = 0; k < kScales; ++k) bytes[k] = 4 * int64_t{plan.sizes[k].width} * plan.sizes[k].height;
  const int64_t scored = std::accumulate(bytes.begin() + plan.first_scale, bytes.end(), int64_t{0});
  return {{"pair", input + bytes[0]},
          {"decimate", bytes[0] + 2 * (bytes[1] + bytes[2]) + bytes[3]},
          {"statistics", scored}};
}

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Vif, VifHost>({
      .name = "vif",
      .summary =
          "visual information fidelity at four scales: what survives of the reference's local information",
      .publication =
          {.citation =
               "H. R. Sheikh, A. C. Bovik: Image information and visual quality. IEEE Transactions on Image "
               "Processing 15(2), 2006",
           .doi = "10.1109/TIP.2005.859378"},
      .metrics = kMetrics,
  });
  return kInfo;
}

}  // namespace vq::vif
