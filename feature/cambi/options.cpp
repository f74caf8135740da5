#include <array>

#include "feature/cambi/plan.h"

namespace vq::cambi {
namespace {

constexpr std::array<std::string_view, 2> kEotfs = {"bt1886", "pq"};
constexpr std::array<std::string_view, 2> kOwnEotfs = {"hlg", "auto"};
constexpr std::array<std::string_view, 2> kRanges = {"limited", "full"};
constexpr std::array<std::string_view, 1> kOwnRanges = {"auto"};
constexpr std::array<int, 4> kSpeedups = {0, 1080, 1440, 2160};

// Names, aliases, defaults and ranges of the reference implementation (libvmaf 3.2), and what only this
// program's own flags can set.
constexpr OptionSpec kSpecs[] = {
    {.name = "cambi_max_val",
     .alias = "cmxv",
     .kind = OptionKind::kReal,
     .default_number = 1000,
     .min = 0,
     .max = 1000,
     .help = "every reported score is clipped to it"},
    {.name = "enc_width",
     .alias = "encw",
     .kind = OptionKind::kInt,
     .default_number = 0,
     .min = 180,
     .max = 7680,
     .help = "width at which the video was encoded; 0: the input's"},
    {.name = "enc_height",
     .alias = "ench",
     .kind = OptionKind::kInt,
     .default_number = 0,
     .min = 150,
     .max = 7680,
     .help = "height at which the video was encoded; 0: the input's"},
    {.name = "enc_bitdepth",
     .alias = "encbd",
     .kind = OptionKind::kInt,
     .default_number = 0,
     .min = 6,
     .max = 16,
     .help = "bit depth at which the video was encoded; 0: the input's"},
    {.name = "src_width",
     .alias = "srcw",
     .kind = OptionKind::kInt,
     .default_number = 0,
     .min = 320,
     .max = 7680,
     .help = "width at which the reference is scored, with full_ref; 0: its own"},
    {.name = "src_height",
     .alias = "srch",
     .kind = OptionKind::kInt,
     .default_number = 0,
     .min = 200,
     .max = 4320,
     .help = "height at which the reference is scored, with full_ref; 0: its own"},
    {.name = "window_size",
     .alias = "ws",
     .kind = OptionKind::kInt,
     .default_number = 65,
     .min = 15,
     .max = 127,
     .help = "side of the window at 4K, in samples; 65 is about one degree of the field of view"},
    {.name = "topk",
     .kind = OptionKind::kReal,
     .default_number = 0.6,
     .min = 0.0001,
     .max = 1,
     .help = "share of the samples that is pooled"},
    {.name = "cambi_topk",
     .alias = "ctpk",
     .kind = OptionKind::kReal,
     .default_number = 0.6,
     .min = 0.0001,
     .max = 1,
     .help = "the same; used when topk is left at its default"},
    {.name = "tvi_threshold",
     .alias = "tvit",
     .kind = OptionKind::kReal,
     .default_number = 0.019,
     .min = 0.0001,
     .max = 1,
     .help = "smallest visible luminance difference, as a share of the luminance"},
    {.name = "cambi_vis_lum_threshold",
     .alias = "vlt",
     .kind = OptionKind::kReal,
     .default_number = 0,
     .min = 0,
     .max = 300,
     .help = "luminance in cd/m2 below which banding is not visible"},
    {.name = "max_log_contrast",
     .alias = "mlc",
     .kind = OptionKind::kInt,
     .default_number = 2,
     .min = 0,
     .max = kMaxLogContrast,
     .help = "contrasts up to 2 to this power, in 10-bit levels, are looked at"},
    {.name = "eotf",
     .kind = OptionKind::kChoice,
     .default_text = "bt1886",
     .choices = kEotfs,
     .own_choices = kOwnEotfs,
     .own_default = "auto",
     .help = "transfer function of the display, for the visibility thresholds"},
    {.name = "cambi_eotf",
     .alias = "ceot",
     .kind = OptionKind::kChoice,
     .default_text = "bt1886",
     .choices = kEotfs,
     .help = "the same; wins over eotf unless left at its default"},
    {.name = "cambi_high_res_speedup",
     .alias = "hrs",
     .kind = OptionKind::kInt,
     .default_number = 0,
     .allowed = kSpeedups,
     .help =
         "halve the picture once for encodes of at least this many lines' worth of 16:9 samples; 0: never"},
    {.name = "full_ref",
     .kind = OptionKind::kBool,
     .default_number = 0,
     .in_metric_name = false,
     .help = "also score the reference, and the difference"},
    {.name = "heatmaps_path",
     .kind = OptionKind::kPath,
     .in_metric_name = false,
     .help = "folder for the heatmaps of every scale; none: no heatmaps"},
    {.name = "range",
     .kind = OptionKind::kChoice,
     .default_text = "limited",
     .choices = kRanges,
     .own_choices = kOwnRanges,
     .own_default = "auto",
     .in_exact_form = false,
     .help = "luma levels of black and white, for the visibility thresholds"},
};

}  // namespace

std::span<const OptionSpec> option_specs() {
  return kSpecs;
}

CambiOptions to_options(const OptionSet& set) {
  CambiOptions options;
  options.max_val = set.get_real("cambi_max_val");
  options.enc_width = set.get_int("enc_width");
  options.enc_height = set.get_int("enc_height");
  options.enc_bitdepth = set.get_int("enc_bitdepth");
  options.src_width = set.get_int("src_width");
  options.src_height = set.get_int("src_height");
  options.window_size = set.get_int("window_size");
  options.topk = set.get_real(set.is_default("topk") ? "cambi_topk" : "topk");
  options.tvi_threshold = set.get_real("tvi_threshold");
  options.vis_lum_threshold = set.get_real("cambi_vis_lum_threshold");
  options.max_log_contrast = set.get_int("max_log_contrast");
  options.eotf = set.get_text(set.is_default("cambi_eotf") ? "eotf" : "cambi_eotf");
  if (options.eotf == "auto") options.eotf = "bt1886";  // where nothing is known of the video
  options.range = set.get_text("range") == "full" ? kFullRange : LumaRange{};
  options.high_res_speedup = set.get_int("cambi_high_res_speedup");
  options.full_ref = set.get_bool("full_ref");
  return options;
}

std::vector<std::string> metric_names(const OptionSet& set) {
  std::vector<std::string> names = {set.metric_name("cambi")};
  if (set.get_bool("full_ref")) names.insert(names.end(), {"cambi_source", "cambi_full_reference"});
  return names;
}

}  // namespace vq::cambi
