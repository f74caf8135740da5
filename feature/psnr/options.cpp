#include "feature/psnr/options.h"

#include <algorithm>
#include <limits>

namespace vq::psnr {
namespace {

// Names, defaults and ranges of the reference implementation (libvmaf 3.2). None is part of a metric's name.
constexpr OptionSpec kSpecs[] = {
    {.name = "enable_chroma",
     .kind = OptionKind::kBool,
     .default_number = 1,
     .in_metric_name = false,
     .help = "also compare the chroma planes"},
    {.name = "enable_mse",
     .kind = OptionKind::kBool,
     .default_number = 0,
     .in_metric_name = false,
     .help = "also report the mean squared errors"},
    {.name = "enable_apsnr",
     .kind = OptionKind::kBool,
     .default_number = 0,
     .in_metric_name = false,
     .help = "also report the PSNR of the mean squared error of all frames"},
    {.name = "reduced_hbd_peak",
     .kind = OptionKind::kBool,
     .default_number = 0,
     .in_metric_name = false,
     .help = "above 8 bits, measure against 255 scaled to the depth instead of the largest sample"},
    {.name = "min_sse",
     .kind = OptionKind::kReal,
     .default_number = 0,
     .min = 0,
     .max = std::numeric_limits<double>::max(),
     .in_metric_name = false,
     .help = "limit PSNR to that of this sum of squared errors in a plane; 0: to 6 dB a bit and 12 dB more"},
};

}  // namespace

std::span<const OptionSpec> option_specs() {
  return kSpecs;
}

PsnrOptions to_options(const OptionSet& set) {
  return {.chroma = set.get_bool("enable_chroma"),
          .mse = set.get_bool("enable_mse"),
          .apsnr = set.get_bool("enable_apsnr"),
          .reduced_hbd_peak = set.get_bool("reduced_hbd_peak"),
          .min_sse = set.get_real("min_sse")};
}

int compared_planes(const PsnrOptions& options, int picture_planes) {
  return options.chroma ? picture_planes : std::min(picture_planes, 1);
}

std::vector<std::string> metric_names(const PsnrOptions& options, int picture_planes) {
  std::vector<std::string> names;
  for (int i = 0; i < compared_planes(options, picture_planes); ++i) {
    const std::string plane(kPlaneNames[static_cast<size_t>(i)]);
    names.push_back("psnr_" + plane);
    if (options.mse) names.push_back("mse_" + plane);
  }
  return names;
}

std::vector<std::string> aggregate_names(const PsnrOptions& options) {
  std::vector<std::string> names;
  if (!options.apsnr) return names;
  for (const std::string_view plane : kPlaneNames) names.push_back("apsnr_" + std::string(plane));
  return names;
}

}  // namespace vq::psnr
