#include "feature/vif/options.h"

#include "feature/vif/filters.h"

namespace vq::vif {
namespace {

// Names, aliases, defaults and ranges of the reference implementation (libvmaf 3.2).
constexpr OptionSpec kSpecs[] = {
    {.name = "vif_enhn_gain_limit",
     .alias = "egl",
     .kind = OptionKind::kReal,
     .default_number = 100,
     .min = 1,
     .max = 100,
     .help = "upper limit on the local gain of contrast; 1 gives no credit for enhancement"},
    {.name = "vif_skip_scale0",
     .alias = "ssclz",
     .kind = OptionKind::kBool,
     .default_number = 0,
     .help = "do not score the finest scale"},
    {.name = "debug",
     .kind = OptionKind::kBool,
     .default_number = 0,
     .in_metric_name = false,
     .help = "also report the score of all scales, numerators and denominators"},
};

}  // namespace

std::span<const OptionSpec> option_specs() {
  return kSpecs;
}

VifOptions to_options(const OptionSet& set) {
  return {.gain_limit = set.get_real("vif_enhn_gain_limit"),
          .skip_scale0 = set.get_bool("vif_skip_scale0"),
          .debug = set.get_bool("debug")};
}

std::vector<std::string> metric_names(const OptionSet& set) {
  std::vector<std::string> bases;
  for (int k = 0; k < kScales; ++k) bases.push_back("integer_vif_scale" + std::to_string(k));
  if (to_options(set).debug) {
    bases.insert(bases.end(), {"integer_vif", "integer_vif_num", "integer_vif_den"});
    for (int k = 0; k < kScales; ++k) {
      bases.push_back("integer_vif_num_scale" + std::to_string(k));
      bases.push_back("integer_vif_den_scale" + std::to_string(k));
    }
  }
  std::vector<std::string> names;
  for (const std::string& base : bases) names.push_back(set.metric_name(base));
  return names;
}

}  // namespace vq::vif
