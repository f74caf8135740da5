#include "feature/bounds/options.h"

#include <cmath>

namespace vq::bounds {
namespace {

constexpr OptionSpec kSpecs[] = {
    {.name = "threshold",
     .alias = "thr",
     .kind = OptionKind::kInt,
     .default_number = kLitSlack,
     .min = 0,
     .max = 219,
     .help = "by how many levels of 8-bit video a sample must exceed black to be lit"},
    {.name = "tolerance",
     .alias = "tol",
     .kind = OptionKind::kReal,
     .default_number = static_cast<double>(kLitTolerance) / kWholeShare,
     .min = 0,
     .max = 0.5,
     .help = "the share of a row or column that may be lit before it counts as picture"},
};

}  // namespace

std::span<const OptionSpec> option_specs() {
  return kSpecs;
}

BoundsOptions to_options(const OptionSet& set) {
  return {.slack = set.get_int("threshold"),
          .tolerance = static_cast<int>(std::lround(set.get_real("tolerance") * kWholeShare))};
}

std::vector<std::string> metric_names(const OptionSet& set) {
  std::vector<std::string> names;
  for (const char* const part : {"share", "x", "y", "width", "height"}) {
    names.push_back(set.metric_name(std::string("bounds_") + part));
  }
  return names;
}

}  // namespace vq::bounds
