#include "feature/speed/options.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace vq::speed {
namespace {

// In the order of Method.
constexpr std::string_view kMethods[] = {"nearest", "bilinear", "bicubic", "lanczos4"};

// Names, defaults and ranges of the reference implementation (libvmaf 3.2).
constexpr OptionSpec kKernelScale = {.name = "speed_kernelscale",
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
constexpr OptionSpec kFloor = {.name = "speed_nn_floor",
                               .alias = "nnf",
                               .kind = OptionKind::kReal,
                               .default_number = 0,
                               .min = 0,
                               .max = 1,
                               .help = "blocks of less entropy than noise stronger by this part count as equal"};
constexpr OptionSpec kWeightMode = {.name = "speed_weight_var_mode",
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
constexpr OptionSpec kReferenceDifference = {.name = "speed_use_ref_diff",
                                             .alias = "urd",
                                             .kind = OptionKind::kBool,
                                             .default_number = 0,
                                             .help = "the distorted video changes from its last frame to the reference's next"};

constexpr OptionSpec kChromaSpecs[] = {kKernelScale, kPrescale, kMethod, kSigma, kFloor, kWeightMode, kMaxValue};
constexpr OptionSpec kTemporalSpecs[] = {kKernelScale, kPrescale, kMethod, kSigma, kFloor, kMaxValue, kReferenceDifference};

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
  return {set.metric_name("speed_chroma_u"), set.metric_name("speed_chroma_v"), set.metric_name("speed_chroma_uv")};
}

std::vector<std::string> temporal_metric_names(const OptionSet& set) {
  return {set.metric_name("speed_temporal")};
}

}  // namespace vq::speed
