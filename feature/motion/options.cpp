#include "feature/motion/options.h"

namespace vq::motion {
namespace {

// Names, aliases, defaults and ranges of the reference implementation (libvmaf 3.2).
constexpr OptionSpec kSpecs[] = {
    {.name = "motion_force_zero",
     .alias = "force_0",
     .kind = OptionKind::kBool,
     .default_number = 0,
     .help = "compare nothing: every score is 0"},
    {.name = "motion_blend_factor",
     .alias = "mbf",
     .kind = OptionKind::kReal,
     .default_number = 1,
     .min = 0,
     .max = 1,
     .help = "slope of motion3 above the offset"},
    {.name = "motion_blend_offset",
     .alias = "mbo",
     .kind = OptionKind::kReal,
     .default_number = 40,
     .min = 0,
     .max = 1000,
     .help = "where that slope starts"},
    {.name = "motion_fps_weight",
     .alias = "mfw",
     .kind = OptionKind::kReal,
     .default_number = 1,
     .min = 0,
     .max = 5,
     .help = "factor on the difference of two frames"},
    {.name = "motion_max_val",
     .alias = "mmxv",
     .kind = OptionKind::kReal,
     .default_number = 10000,
     .min = 0,
     .max = 10000,
     .help = "clip larger values to this"},
    {.name = "motion_five_frame_window",
     .alias = "mffw",
     .kind = OptionKind::kBool,
     .default_number = 0,
     .help = "compare with the frame two back"},
    {.name = "motion_moving_average",
     .alias = "mma",
     .kind = OptionKind::kBool,
     .default_number = 0,
     .help = "average motion3 with that of the frame before"},
    {.name = "debug",
     .kind = OptionKind::kBool,
     .default_number = 0,
     .in_metric_name = false,
     .help = "also report the difference of two frames as integer_motion"},
};

}  // namespace

std::span<const OptionSpec> option_specs() {
  return kSpecs;
}

MotionOptions to_options(const OptionSet& set) {
  return {.force_zero = set.get_bool("motion_force_zero"),
          .blend_factor = set.get_real("motion_blend_factor"),
          .blend_offset = set.get_real("motion_blend_offset"),
          .fps_weight = set.get_real("motion_fps_weight"),
          .max_value = set.get_real("motion_max_val"),
          .five_frame_window = set.get_bool("motion_five_frame_window"),
          .moving_average = set.get_bool("motion_moving_average"),
          .debug = set.get_bool("debug")};
}

std::vector<std::string> metric_names(const OptionSet& set) {
  std::vector<std::string> names = {set.metric_name("VMAF_integer_feature_motion_sad_score")};
  if (to_options(set).debug) names.push_back(set.metric_name("integer_motion"));
  names.push_back(set.metric_name("integer_motion2"));
  names.push_back(set.metric_name("integer_motion3"));
  return names;
}

}  // namespace vq::motion
