#include "feature/ssim/options.h"

namespace vq::ssim {
namespace {

// Names, defaults and ranges of the reference implementation (libvmaf 3.2). None is part of a metric's name.
constexpr OptionSpec kSpecs[] = {
    {.name = "enable_lcs",
     .kind = OptionKind::kBool,
     .default_number = 0,
     .in_metric_name = false,
     .help = "also report the means of luminance, contrast and structure"},
    {.name = "enable_db",
     .kind = OptionKind::kBool,
     .default_number = 0,
     .in_metric_name = false,
     .help = "report the score s in decibels, as -10 log10(1 - s)"},
    {.name = "clip_db",
     .kind = OptionKind::kBool,
     .default_number = 0,
     .in_metric_name = false,
     .help = "limit decibels to the PSNR of half a squared error in the picture; nothing without enable_db"},
    {.name = "scale",
     .kind = OptionKind::kInt,
     .default_number = 0,
     .min = 0,
     .max = 10,
     .in_metric_name = false,
     .help = "shrink pictures by this factor; 0: by their shorter side / 256, rounded"},
};
constexpr size_t kOwnOfSsim = 1;  // at the end

}  // namespace

std::string_view name_of(Feature feature) {
  return feature == Feature::kSsim ? "float_ssim" : "float_ms_ssim";
}

std::span<const OptionSpec> option_specs(Feature feature) {
  const std::span<const OptionSpec> all = kSpecs;
  return feature == Feature::kSsim ? all : all.first(all.size() - kOwnOfSsim);
}

SsimOptions to_options(Feature feature, const OptionSet& set) {
  return {.parts = set.get_bool("enable_lcs"),
          .db = set.get_bool("enable_db"),
          .clip_db = set.get_bool("clip_db"),
          .scale = feature == Feature::kSsim ? set.get_int("scale") : 0};
}

std::vector<std::string> metric_names(Feature feature, const SsimOptions& options) {
  const std::string score(name_of(feature));
  std::vector<std::string> names = {score};
  if (!options.parts) return names;
  for (const char* const part : {"_l", "_c", "_s"}) {
    if (feature == Feature::kSsim) {
      names.push_back(score + part);
      continue;
    }
    for (int scale = 0; scale < kScales; ++scale) names.push_back(score + part + "_scale" + std::to_string(scale));
  }
  return names;
}

}  // namespace vq::ssim
