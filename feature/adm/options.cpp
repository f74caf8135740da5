#include "feature/adm/options.h"

namespace vq::adm {
namespace {

// Names, aliases, defaults and ranges of the reference implementation (libvmaf 3.2).
constexpr OptionSpec kSpecs[] = {
    {.name = "debug",
     .kind = OptionKind::kBool,
     .default_number = 0,
     .in_metric_name = false,
     .help = "also report the numerators and denominators of the scores"},
    {.name = "adm_csf_scale",
     .alias = "scf",
     .kind = OptionKind::kReal,
     .default_number = 1,
     .min = 0,
     .max = 50,
     .help = "factor of the sensitivity to horizontal and vertical detail, with adm_csf_mode=1 alone"},
    {.name = "adm_csf_diag_scale",
     .alias = "scfd",
     .kind = OptionKind::kReal,
     .default_number = 1,
     .min = 0,
     .max = 50,
     .help = "factor of the sensitivity to diagonal detail, with adm_csf_mode=1 alone"},
    {.name = "adm_dlm_weight",
     .alias = "dlmw",
     .kind = OptionKind::kReal,
     .default_number = 0.5,
     .min = 0,
     .max = 1,
     .help = "share of adm2 in adm3; the rest is that of aim"},
    {.name = "adm_enhn_gain_limit",
     .alias = "egl",
     .kind = OptionKind::kReal,
     .default_number = 100,
     .min = 1,
     .max = 100,
     .help = "how much stronger than in the reference detail may count; 1: enhancement is no credit"},
    {.name = "adm_norm_view_dist",
     .alias = "nvd",
     .kind = OptionKind::kReal,
     .default_number = 3,
     .min = 0.75,
     .max = 24,
     .help = "viewing distance in picture heights"},
    {.name = "adm_ref_display_height",
     .alias = "rdh",
     .kind = OptionKind::kInt,
     .default_number = 1080,
     .min = 1,
     .max = 4320,
     .help = "lines of the display"},
    {.name = "adm_csf_mode",
     .alias = "csf",
     .kind = OptionKind::kInt,
     .default_number = 0,
     .min = 0,
     .max = 3,
     .help = "contrast sensitivity: 0 Watson, 1 Barten, 2 and 3 blends of both, for a few viewing distances"},
    {.name = "adm_noise_weight",
     .alias = "nw",
     .kind = OptionKind::kReal,
     .default_number = 0.03125,
     .min = 0,
     .max = 1500,
     .help = "constant added to numerators and denominators"},
    {.name = "adm_skip_aim",
     .kind = OptionKind::kBool,
     .default_number = 0,
     .in_metric_name = false,
     .help = "do not compute aim, which is 0 then"},
    {.name = "adm_skip_scale0",
     .alias = "ssz",
     .kind = OptionKind::kBool,
     .default_number = 0,
     .help = "leave the finest scale out"},
    {.name = "adm_min_val",
     .alias = "min",
     .kind = OptionKind::kReal,
     .default_number = 0,
     .min = 0,
     .max = 1,
     .help = "lower limit of adm3"},
};

}  // namespace

std::span<const OptionSpec> option_specs() {
  return kSpecs;
}

AdmOptions to_options(const OptionSet& set) {
  return {.gain_limit = set.get_real("adm_enhn_gain_limit"),
          .view_distance = set.get_real("adm_norm_view_dist"),
          .display_height = set.get_int("adm_ref_display_height"),
          .csf_mode = static_cast<CsfMode>(set.get_int("adm_csf_mode")),
          .csf_scale = set.get_real("adm_csf_scale"),
          .csf_diagonal_scale = set.get_real("adm_csf_diag_scale"),
          .noise_weight = set.get_real("adm_noise_weight"),
          .dlm_weight = set.get_real("adm_dlm_weight"),
          .min_val = set.get_real("adm_min_val"),
          .skip_scale0 = set.get_bool("adm_skip_scale0"),
          .skip_aim = set.get_bool("adm_skip_aim"),
          .debug = set.get_bool("debug")};
}

std::vector<std::string> metric_names(const OptionSet& set) {
  std::vector<std::string> names = {"integer_adm2", "integer_aim", "integer_adm3"};
  for (const char scale : std::string_view("0123")) names.push_back(std::string("integer_adm_scale") + scale);
  if (set.get_bool("debug")) {
    names.insert(names.end(), {"integer_adm", "integer_adm_num", "integer_adm_den"});
    for (const char scale : std::string_view("0123")) {
      names.push_back(std::string("integer_adm_num_scale") + scale);
      names.push_back(std::string("integer_adm_den_scale") + scale);
    }
  }
  for (std::string& name : names) name = set.metric_name(name);
  return names;
}

}  // namespace vq::adm
