#include <array>

#include "core/text.h"
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
     .role = OptionRole::kEncodedWidth,
     .help = "width at which the video was encoded; 0: the input's"},
    {.name = "enc_height",
     .alias = "ench",
     .kind = OptionKind::kInt,
     .default_number = 0,
     .min = 150,
     .max = 7680,
     .role = OptionRole::kEncodedHeight,
     .help = "height at which the video was encoded; 0: the input's"},
    {.name = "enc_bitdepth",
     .alias = "encbd",
     .kind = OptionKind::kInt,
     .default_number = 0,
     .min = 6,
     .max = 16,
     .role = OptionRole::kEncodedDepth,
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
     .role = OptionRole::kReference,
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

namespace {

const char* eotf_of(Transfer transfer) {
  switch (transfer) {
    case Transfer::kPq:
      return "pq";
    case Transfer::kHlg:
      return "hlg";
    case Transfer::kUnspecified:
    case Transfer::kBt1886:
    case Transfer::kSrgb:
    case Transfer::kLinear:
    case Transfer::kOther:
      break;
  }
  return "bt1886";
}

const char* range_of(Range range) {
  return range == Range::kFull ? "full" : "limited";
}

bool says_transfer(const VideoFormat& video) {
  return video.transfer == Transfer::kBt1886 || video.transfer == Transfer::kPq ||
         video.transfer == Transfer::kHlg;
}

// One of the two options, and what the video says of it.
struct Setting {
  std::string_view option;
  std::string of_video;
  bool is_tagged = false;
};

// Says how it came about.
std::string settle(const Setting& setting, OptionSet& options) {
  const bool automatic = options.get_text(setting.option) == "auto";
  if (automatic) options.resolve(setting.option, setting.of_video);
  const char* const origin = !automatic ? "as asked" : setting.is_tagged ? "from the stream" : "assumed";
  return std::string(setting.option) + "=" + options.get_text(setting.option) + " (" + origin + ")";
}

void warn_of_contradiction(const VideoFormat& video, const OptionSet& options, Resolution& resolution) {
  const std::string name = shown_path(video.name);
  const std::string &eotf = options.get_text("eotf"), &range = options.get_text("range");
  if (says_transfer(video) && eotf != eotf_of(video.transfer)) {
    resolution.warnings.push_back(
        {name + " is tagged " + std::string(to_string(video.transfer)) + ", but eotf is " + eotf + "."});
  }
  if (video.range != Range::kUnspecified && range != range_of(video.range)) {
    resolution.warnings.push_back(
        {name + " is tagged " + std::string(to_string(video.range)) + " range, but range is " + range + "."});
  }
}

void warn_of_difference(const VideoFormats& formats, Resolution& resolution) {
  const VideoFormat &video = formats.distorted, &reference = *formats.reference;
  const auto differs = [&](const std::string& what, const std::string& one, const std::string& other) {
    if (one == other) return;
    resolution.warnings.push_back({shown_path(video.name) + " is " + one + " and " +
                                   shown_path(reference.name) + " is " + other + "; the " + what +
                                   " of the first is used for both."});
  };
  differs("transfer function", eotf_of(video.transfer), eotf_of(reference.transfer));
  differs("range", std::string(range_of(video.range)) + " range",
          std::string(range_of(reference.range)) + " range");
}

// Of options that are exactly as given.
Resolution exact_warnings(const OptionSet& options, const VideoFormats& formats, AskedBy asked_by) {
  Resolution resolution;
  const std::string &eotf = options.get_text("eotf"), &range = options.get_text("range");
  const bool any_reference = formats.reference && options.get_bool("full_ref");
  for (const VideoFormat* video : {&formats.distorted, any_reference ? &*formats.reference : nullptr}) {
    if (video == nullptr) continue;
    const std::string name = shown_path(video->name);
    if (video->range == Range::kFull && range != "full") {
      resolution.warnings.push_back({name + " is full range; CAMBI's thresholds assume limited range."});
    }
    // A model cannot be told otherwise, and that it is not for such pictures is said once, of all its
    // features.
    if (asked_by != AskedBy::kModel && says_transfer(*video) && eotf != eotf_of(video->transfer)) {
      resolution.warnings.push_back({name + " is tagged " + std::string(to_string(video->transfer)) +
                                         ", but CAMBI takes it as " + eotf + ".",
                                     "eotf"});
    }
  }
  return resolution;
}

}  // namespace

Resolution resolve(OptionSet& options, const VideoFormats& formats, AskedBy asked_by) {
  const bool any_auto = options.get_text("eotf") == "auto" || options.get_text("range") == "auto";
  if (asked_by != AskedBy::kProgram && !any_auto) return exact_warnings(options, formats, asked_by);
  const VideoFormat& video = formats.distorted;
  Resolution resolution;
  const bool range_was_auto = options.get_text("range") == "auto";
  resolution.notes.push_back(settle({"eotf", eotf_of(video.transfer), says_transfer(video)}, options));
  const std::string range =
      settle({"range", range_of(video.range), video.range != Range::kUnspecified}, options);
  // Limited range is what everybody expects.
  if (options.get_text("range") == "full" || !range_was_auto) resolution.notes.push_back(range);
  warn_of_contradiction(video, options, resolution);
  if (formats.reference && options.get_bool("full_ref")) warn_of_difference(formats, resolution);
  return resolution;
}

}  // namespace vq::cambi
