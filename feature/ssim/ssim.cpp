#include "feature/ssim/ssim.h"

#include <algorithm>
#include <array>

#include "feature/ssim/plan.h"

namespace vq::ssim {
namespace {

// No score is called flawless: in decibels the names are the same.
constexpr MetricInfo score_of(std::string_view name, std::string_view title, std::string_view explanation) {
  return {.name = name,
          .title = title,
          .subject = "distortion",
          .better = Better::kHigher,
          .usual_top = 1,
          .explanation = explanation,
          .decimals = 5};
}
constexpr MetricInfo part_of(std::string_view name, std::string_view title, std::string_view explanation) {
  MetricInfo info = score_of(name, title, explanation);
  info.is_detail = true;
  return info;
}
// In decibels. Of MS-SSIM there are pictures without a score.
constexpr MetricInfo unbounded(MetricInfo info) {
  info.is_unbounded = true;
  return info;
}
constexpr std::string_view kSsimAlias = "ssim", kMsSsimAlias = "ms_ssim";
constexpr MetricInfo called(std::string_view alias, MetricInfo info) {
  info.alias = alias;
  return info;
}
constexpr std::string_view kLuminance = "How alike local means are, a factor of the score.",
                           kContrast = "How alike local deviations are, a factor of the score.",
                           kStructure = "How strongly samples are correlated, a factor of the score.";
constexpr MetricInfo kSsimMetrics[] = {
    called(kSsimAlias,
           unbounded(
               score_of("float_ssim", "SSIM",
                        "How alike the structure of both pictures is, seen through a small window; identical "
                        "pictures have 1, or infinite decibels."))),
    part_of("float_ssim_l", "SSIM's luminance", kLuminance),
    part_of("float_ssim_c", "SSIM's contrast", kContrast),
    part_of("float_ssim_s", "SSIM's structure", kStructure)};
constexpr MetricInfo kMsSsimMetrics[] = {
    called(
        kMsSsimAlias,
        score_of(
            "float_ms_ssim", "MS-SSIM",
            "How alike the structure of both pictures is, in fine and in coarse detail; identical pictures "
            "have 1, or infinite decibels.")),
    part_of("float_ms_ssim_l", "MS-SSIM's luminance", kLuminance),
    part_of("float_ms_ssim_c", "MS-SSIM's contrast", kContrast),
    part_of("float_ms_ssim_s", "MS-SSIM's structure", kStructure)};

// Both pictures at a scale and at the one before, in turn.
struct Workspace {
  explicit Workspace(const SsimPlan& plan) : scratch(plan.videos.size.width) {
    for (size_t k = 0; k < std::min(pictures.size(), plan.sizes.size()); ++k) {
      for (Plane<float>& picture : pictures[k])
        picture = Plane<float>(plan.sizes[k].width, plan.sizes[k].height);
    }
  }

  std::array<std::array<Plane<float>, 2>, 2> pictures;
  Scratch scratch;
};

class SsimHost final : public WorkspaceHost<SsimPlan, Stages, Workspace> {
 public:
  using WorkspaceHost::WorkspaceHost;

  FrameResult score(const FramePair& frames) override {
    const auto workspace = workspaces_.take();
    const Frame& reference = frames.reference.value();
    const std::array<Luma, 2> videos = {Luma{frames.distorted.luma(), frames.distorted.bit_depth},
                                        Luma{reference.luma(), reference.bit_depth}};
    std::vector<Similarity> scales;
    for (size_t k = 0; k < plan_.sizes.size(); ++k) {
      for (size_t i = 0; i < videos.size(); ++i) {
        if (k == 0) {
          stages_.shrink(videos[i], plan_.factor, workspace->scratch, picture(*workspace, i, k));
        } else {
          stages_.halve(picture(*workspace, i, k - 1), workspace->scratch, picture(*workspace, i, k));
        }
      }
      scales.push_back(
          stages_.compare(picture(*workspace, 0, k), picture(*workspace, 1, k), workspace->scratch));
    }
    return {.values = frame_values(plan_, scales)};
  }

 private:
  PlaneView<float> picture(Workspace& workspace, size_t video, size_t scale) const {
    const PlaneSize size = plan_.sizes[scale];
    return workspace.pictures[scale % 2][video].view(size.width, size.height);
  }
};

}  // namespace

const FeatureInfo& ssim_info() {
  static const FeatureInfo kInfo = describe<Ssim, SsimHost>(
      {.name = name_of(Feature::kSsim),
       .alias = kSsimAlias,
       .summary = "structural similarity of the luma to the reference's",
       .publication = {.citation = "Wang, Bovik, Sheikh, Simoncelli: Image Quality Assessment: From Error "
                                   "Visibility to Structural Similarity, "
                                   "IEEE Transactions on Image Processing, 2004",
                       .doi = "10.1109/TIP.2003.819861"},
       .metrics = kSsimMetrics});
  return kInfo;
}

const FeatureInfo& ms_ssim_info() {
  static const FeatureInfo kInfo = describe<MsSsim, SsimHost>(
      {.name = name_of(Feature::kMsSsim),
       .alias = kMsSsimAlias,
       .summary = "multi-scale structural similarity of the luma to the reference's",
       .publication = {.citation =
                           "Wang, Simoncelli, Bovik: Multiscale Structural Similarity for Image Quality "
                           "Assessment, Asilomar "
                           "Conference on Signals, Systems and Computers, 2003",
                       .doi = "10.1109/ACSSC.2003.1292216"},
       .metrics = kMsSsimMetrics});
  return kInfo;
}

std::unique_ptr<HostFeature> make_host_feature(const SsimPlan& plan, const Execution& execution) {
  return std::make_unique<SsimHost>(plan, execution);
}

FeatureMemory host_memory(const SsimPlan& plan, const Execution& execution) {
  return {.fixed = workspace_bytes<SsimHost>(plan, execution)};
}

}  // namespace vq::ssim
