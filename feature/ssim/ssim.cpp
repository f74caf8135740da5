#include "feature/ssim/ssim.h"

namespace vq::ssim {
std::string_view name_of(Feature feature) {
  return feature == Feature::kSsim ? "float_ssim" : "float_ms_ssim";
}

template <Feature feature>
std::vector<std::string> SsimMetric<feature>::names(const Options& options) {
  const std::string score(name_of(feature));
  std::vector<std::string> names = {score};
  if (!options.parts) return names;
  for (const char* const part : {"_l", "_c", "_s"}) {
    if (feature == Feature::kSsim) {
      names.push_back(score + part);
      continue;
    }
    for (int scale = 0; scale < kScales; ++scale)
      names.push_back(score + part + "_scale" + std::to_string(scale));
  }
  return names;
}
template struct SsimMetric<Feature::kSsim>;
template struct SsimMetric<Feature::kMsSsim>;

namespace {

// Exponents of MS-SSIM for each scale, of luminance and of both contrast and structure.
constexpr std::array<float, kScales> kLuminanceExponents = {0, 0, 0, 0, 0.1333F};
constexpr std::array<float, kScales> kExponents = {0.0448F, 0.2856F, 0.3001F, 0.2363F, 0.1333F};

// So that the window fits the coarsest of the scales, as the reference implementation demands it.
constexpr int kShortestSide = kTaps << (kScales - 1);

// Pictures are shrunk so that their shorter side is of about so many samples.
constexpr int kUsualSide = 256;

int factor_for(const SsimOptions& options, PlaneSize size) {
  if (options.scale != 0) return options.scale;
  const int side = std::min(size.width, size.height);
  return std::max(1, (side + kUsualSide / 2) / kUsualSide);
}

void require_room(Feature feature, int factor, const VideoFormats& formats) {
  const VideoFormat& video = formats.distorted;
  if (factor == 1) return require_sides(name_of(feature), formats, kTaps);
  const int width = shrunk(video.width, factor), height = shrunk(video.height, factor);
  if (std::min(width, height) >= kTaps) return;
  throw Error(ErrorKind::kMismatch, "{} is {} and {} at scale={}; {} needs sides of at least {} samples.",
              video.name, size_text(video.size()), size_text({width, height}), factor, name_of(feature),
              kTaps);
}

// The means of one scale.
struct Means {
  float luminance, contrast, structure, product;
};

Means means_of(const Similarity& sums, PlaneSize size) {
  const auto count = static_cast<double>(positions(size));
  return {static_cast<float>(sums.luminance / count), static_cast<float>(sums.contrast / count),
          static_cast<float>(sums.structure / count), static_cast<float>(sums.product / count)};
}

// A negative mean has no power that is a number.
double product_of_scales(std::span<const Means> scales) {
  const auto power = [](float base, float exponent) { return std::pow(double{base}, double{exponent}); };
  double product = 1;
  for (size_t k = 0; k < scales.size(); ++k) {
    const Means& means = scales[k];
    product *= power(means.luminance, kLuminanceExponents[k]) * power(means.contrast, kExponents[k]) *
               power(means.structure, kExponents[k]);
  }
  return product;
}

// Rounding may leave a score above 1, which has no logarithm: it counts as 1.
double in_decibels(double score, const SsimPlan& plan) {
  double limit = std::numeric_limits<double>::infinity();
  if (plan.options.clip_db) {
    const double peak = (1 << plan.videos.bit_depth) - 1;
    const double samples = static_cast<double>(plan.videos.size.width) * plan.videos.size.height;
    limit = std::ceil(10 * std::log10(peak * peak / (0.5 / samples)));
  }
  const double decibels = -10 * std::log10(1 - score);
  return decibels < limit ? decibels : limit;
}

}  // namespace

SsimPlan make_plan(Feature feature, const SsimOptions& options, const VideoFormats& formats) {
  SsimPlan plan = {
      .feature = feature, .options = options, .videos = compared_videos(name_of(feature), formats)};
  PlaneSize size = plan.videos.size;
  if (feature == Feature::kSsim) {
    plan.factor = factor_for(options, size);
    require_room(feature, plan.factor, formats);
    plan.sizes = {{shrunk(size.width, plan.factor), shrunk(size.height, plan.factor)}};
    return plan;
  }
  require_sides(name_of(feature), formats, kShortestSide);
  for (int scale = 0; scale < kScales; ++scale) {
    plan.sizes.push_back(size);
    size = {halved(size.width), halved(size.height)};
  }
  return plan;
}

std::vector<double> frame_values(const SsimPlan& plan, std::span<const Similarity> scales) {
  HWY_DASSERT(scales.size() == plan.sizes.size());
  std::vector<Means> means;
  for (size_t k = 0; k < scales.size(); ++k) means.push_back(means_of(scales[k], plan.sizes[k]));
  const double score =
      plan.feature == Feature::kSsim ? double{means.front().product} : product_of_scales(means);
  std::vector<double> values = {plan.options.db ? in_decibels(score, plan) : score};
  if (!plan.options.parts) return values;
  for (float Means::*const part : {&Means::luminance, &Means::contrast, &Means::structure}) {
    for (const Means& scale : means) values.push_back(double{scale.*part});
  }
  return values;
}

// Quotients and their roundings never fall where sums rise, so that both ends speak for all between.
bool settle_values(const SsimPlan& plan, std::span<const Similarity> least,
                   std::span<const Similarity> most) {
  HWY_DASSERT(plan.feature == Feature::kMsSsim);
  HWY_DASSERT(least.size() == plan.sizes.size() && most.size() == plan.sizes.size());
  for (size_t k = 0; k < plan.sizes.size(); ++k) {
    const Means low = means_of(least[k], plan.sizes[k]), high = means_of(most[k], plan.sizes[k]);
    const bool is_luminance_used = plan.options.parts || kLuminanceExponents[k] != 0;
    if (low.contrast != high.contrast || low.structure != high.structure) return false;
    if (is_luminance_used && low.luminance != high.luminance) return false;
  }
  return true;
}

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
constexpr std::string_view kLuminance = "How alike local means are, a factor of the score.",
                           kContrast = "How alike local deviations are, a factor of the score.",
                           kStructure = "How strongly samples are correlated, a factor of the score.";
constexpr MetricInfo kSsimMetrics[] = {
    with_alias(unbounded(score_of(
                   "float_ssim", "SSIM",
                   "How alike the structure of both pictures is, seen through a small window; identical "
                   "pictures have 1, or infinite decibels.")),
               kSsimAlias),
    part_of("float_ssim_l", "SSIM's luminance", kLuminance),
    part_of("float_ssim_c", "SSIM's contrast", kContrast),
    part_of("float_ssim_s", "SSIM's structure", kStructure)};
constexpr MetricInfo kMsSsimMetrics[] = {
    with_alias(
        score_of(
            "float_ms_ssim", "MS-SSIM",
            "How alike the structure of both pictures is, in fine and in coarse detail; identical pictures "
            "have 1, or infinite decibels."),
        kMsSsimAlias),
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
                           "Assessment, Asilomar Conference on Signals, Systems and Computers, 2003",
                       .doi = "10.1109/ACSSC.2003.1292216"},
       .metrics = kMsSsimMetrics});
  return kInfo;
}

std::unique_ptr<HostFeature> make_host_feature(const SsimPlan& plan, const Execution& execution) {
  return std::make_unique<SsimHost>(plan, execution);
}

}  // namespace vq::ssim
