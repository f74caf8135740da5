#include "feature/speed/plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>

#include "core/error.h"
#include "feature/compared_videos.h"
#include "feature/speed/logarithm.h"

namespace vq::speed {
namespace {

// In the order of Method.
constexpr std::string_view kMethods[] = {"nearest", "bilinear", "bicubic", "lanczos4"};

// Names, defaults and ranges of the reference implementation (libvmaf 3.2).
constexpr OptionSpec kKernelScale = {
    .name = "speed_kernelscale",
    .alias = "ks",
    .kind = OptionKind::kReal,
    .default_number = 1,
    .min = 0.1,
    .max = 4,
    .help = "widen the filters by this factor; some factors only, see docs/speed.md"};
constexpr OptionSpec kPrescale = {.name = "speed_prescale",
                                  .alias = "ps",
                                  .kind = OptionKind::kReal,
                                  .default_number = 1,
                                  .min = 0.1,
                                  .max = 4,
                                  .help = "resize the planes by this factor first"};
constexpr OptionSpec kMethod = {.name = "speed_prescale_method",
                                .alias = "psm",
                                .kind = OptionKind::kChoice,
                                .default_text = "nearest",
                                .choices = kMethods,
                                .help = "how planes are resized"};
constexpr OptionSpec kSigma = {.name = "speed_sigma_nn",
                               .alias = "snn",
                               .kind = OptionKind::kReal,
                               .default_number = 0.29,
                               .min = 0.1,
                               .max = 2,
                               .help = "noise of the eye's neurons, added to every variance"};
constexpr OptionSpec kFloor = {
    .name = "speed_nn_floor",
    .alias = "nnf",
    .kind = OptionKind::kReal,
    .default_number = 0,
    .min = 0,
    .max = 1,
    .help = "blocks of less entropy than noise stronger by this part count as equal"};
constexpr OptionSpec kWeightMode = {
    .name = "speed_weight_var_mode",
    .alias = "wvm",
    .kind = OptionKind::kInt,
    .default_number = 0,
    .min = 0,
    .max = 6,
    .help = "which video's variances weight the entropies; see docs/speed.md"};
constexpr OptionSpec kMaxValue = {.name = "speed_max_val",
                                  .alias = "mxv",
                                  .kind = OptionKind::kReal,
                                  .default_number = 1000,
                                  .min = 0,
                                  .max = 1000,
                                  .help = "the largest score; speed_temporal takes no notice of it"};
constexpr OptionSpec kReferenceDifference = {
    .name = "speed_use_ref_diff",
    .alias = "urd",
    .kind = OptionKind::kBool,
    .default_number = 0,
    .help = "the distorted video changes from its last frame to the reference's next"};

constexpr OptionSpec kChromaSpecs[] = {kKernelScale, kPrescale,   kMethod,  kSigma,
                                       kFloor,       kWeightMode, kMaxValue};
constexpr OptionSpec kTemporalSpecs[] = {kKernelScale, kPrescale,           kMethod, kSigma, kFloor,
                                         kMaxValue,    kReferenceDifference};

SpeedOptions common_options(const OptionSet& set) {
  const auto method = std::find(std::begin(kMethods), std::end(kMethods), set.get_text(kMethod.name));
  return {.kernel_scale = set.get_real(kKernelScale.name),
          .prescale = set.get_real(kPrescale.name),
          .method = static_cast<Method>(method - std::begin(kMethods)),
          .sigma_nn = set.get_real(kSigma.name),
          .nn_floor = set.get_real(kFloor.name),
          .max_value = set.get_real(kMaxValue.name)};
}

}  // namespace

std::span<const OptionSpec> chroma_option_specs() {
  return kChromaSpecs;
}

std::span<const OptionSpec> temporal_option_specs() {
  return kTemporalSpecs;
}

SpeedOptions to_chroma_options(const OptionSet& set) {
  SpeedOptions options = common_options(set);
  options.weight_mode = set.get_int(kWeightMode.name);
  return options;
}

SpeedOptions to_temporal_options(const OptionSet& set) {
  SpeedOptions options = common_options(set);
  options.reference_difference = set.get_bool(kReferenceDifference.name);
  return options;
}

std::vector<std::string> chroma_metric_names(const OptionSet& set) {
  return {set.metric_name("speed_chroma_u"), set.metric_name("speed_chroma_v"),
          set.metric_name("speed_chroma_uv")};
}

std::vector<std::string> temporal_metric_names(const OptionSet& set) {
  return {set.metric_name("speed_temporal")};
}

namespace {

constexpr double kNoScaling = 1e-3;  // from 1

std::string size_text(PlaneSize size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

// Scaled columns that the filter looks at, ascending, each once.
std::vector<int> columns_in_reach(const Filter& filter, int outputs, int step, int width) {
  std::vector<int> columns;
  for (int i = 0; i < outputs; ++i) {
    for (int k = -filter.reach(); k <= filter.reach(); ++k) columns.push_back(reflected(step * i + k, width));
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

// Outputs are `step` columns apart in a picture so wide, of which rows have those columns.
KeptFilter kept_filter(Filter filter, int outputs, int step, const std::vector<int>& row_columns, int width) {
  KeptFilter kept{.filter = std::move(filter), .outputs = outputs, .stride = padded(outputs)};
  const int taps = static_cast<int>(kept.filter.taps.size());
  kept.columns.resize(static_cast<size_t>(taps * kept.stride));
  for (int t = 0; t < taps; ++t) {
    for (int i = 0; i < outputs; ++i) {
      const int column = reflected(step * i + t - kept.filter.reach(), width);
      const auto found = std::lower_bound(row_columns.begin(), row_columns.end(), column);
      kept.columns[static_cast<size_t>(t * kept.stride + i)] =
          static_cast<int32_t>(found - row_columns.begin());
    }
  }
  return kept;
}

std::vector<int> count_up(int count) {
  std::vector<int> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

PlaneSize scaled_size(PlaneSize size, double prescale) {
  if (std::abs(prescale - 1) < kNoScaling) return size;
  return {static_cast<int>(size.width * prescale + 0.5), static_cast<int>(size.height * prescale + 0.5)};
}

// The entropy of a block of nothing but noise.
float base_entropy(float nn_floor, float sigma) {
  return static_cast<float>(kVariables *
                            (log2_of(static_cast<double>((1 + nn_floor) * sigma)) + kGaussianEntropy));
}

SpeedPlan make_plan(std::string_view metric, const SpeedOptions& options, const VideoFormats& formats,
                    PlaneSize plane) {
  if (!is_known_kernel_scale(options.kernel_scale)) {
    throw Error(ErrorKind::kUsage,
                "speed_kernelscale: there are no filters for this factor; allowed: 1, 1/2, 3/2, 2, 2/3, 2.4, "
                "360/97, 4/3, 3.5/3, 3.75/3, 4.25/3, 5/3, 3, 1/2.25, 1.4746, 1.54, 1.6, 1.06667, 0.711111, "
                "0.74074 or 1.111111, each within 0.001");
  }
  const PlaneSize scaled = scaled_size(plane, options.prescale);
  constexpr int kLeastSide = kKeptStep * kBlockSide;
  if (scaled.width < kLeastSide || scaled.height < kLeastSide) {
    throw Error(ErrorKind::kMismatch, formats.distorted.name + ": planes of " + size_text(scaled) +
                                          " are too small for " + std::string(metric) + ", which needs " +
                                          size_text({kLeastSide, kLeastSide}) +
                                          (scaled == plane ? "." : " after speed_prescale."));
  }
  SpeedPlan plan;
  plan.options = options;
  plan.plane = make_plane_plan(options, plane);
  plan.distorted_depth = formats.distorted.bit_depth;
  plan.reference_depth = formats.reference->bit_depth;
  plan.sigma = static_cast<float>(options.sigma_nn);
  plan.base_entropy = base_entropy(static_cast<float>(options.nn_floor), plan.sigma);
  return plan;
}

}  // namespace

PlanePlan make_plane_plan(const SpeedOptions& options, PlaneSize size) {
  PlanePlan plan;
  plan.source = size;
  plan.scaled = scaled_size(size, options.prescale);
  plan.method = options.method;
  plan.kept = {plan.scaled.width / kKeptStep, plan.scaled.height / kKeptStep};
  plan.blocks_across = plan.kept.width / kBlockSide;
  plan.blocks_down = plan.kept.height / kBlockSide;

  Filter filter = anti_alias_filter(options.kernel_scale);
  std::vector<int> columns = count_up(size.width);
  if (plan.scaled != size) {
    columns = columns_in_reach(filter, plan.kept.width, kKeptStep, plan.scaled.width);
    plan.rows = axis_taps(options.method, size.height, plan.scaled.height, count_up(plan.scaled.height));
    plan.columns = axis_taps(options.method, size.width, plan.scaled.width, columns);
  }
  plan.row_width = static_cast<int>(columns.size());
  plan.anti_alias = kept_filter(std::move(filter), plan.kept.width, kKeptStep, columns, plan.scaled.width);
  plan.local_mean = kept_filter(local_mean_filter(options.kernel_scale), plan.kept.width, 1,
                                count_up(plan.kept.width), plan.kept.width);
  return plan;
}

SpeedPlan make_chroma_plan(const SpeedOptions& options, const VideoFormats& formats) {
  constexpr std::string_view kFeature = "speed_chroma";
  const PlaneSize luma = compared_videos(kFeature, formats).size;
  require_chroma(kFeature, formats);
  require_same_chroma(kFeature, formats);
  // Of odd sizes the last column and row of chroma are not looked at.
  const ChromaShifts shifts = chroma_shifts(formats.distorted.chroma);
  return make_plan(kFeature, options, formats, {luma.width >> shifts.x, luma.height >> shifts.y});
}

SpeedPlan make_temporal_plan(const SpeedOptions& options, const VideoFormats& formats) {
  constexpr std::string_view kFeature = "speed_temporal";
  return make_plan(kFeature, options, formats, compared_videos(kFeature, formats).size);
}

}  // namespace vq::speed
