#include "feature/cambi/flags.h"

#include "core/error.h"
#include "core/text.h"
#include "feature/cambi/plan.h"

namespace vq::cambi {
namespace {

using Settings = std::vector<std::pair<std::string_view, std::string>>;

constexpr int kDitheredBelow = 10;  // video of fewer bits is filtered for dither, so that the depth changes scores

struct Size {
  std::string width, height, bits;
};

// WxH, or with a depth WxH@BITS.
Size parse_size(std::string_view text, bool with_bits) {
  const size_t at = with_bits ? text.find('@') : std::string_view::npos;
  const std::string_view sides = text.substr(0, at);
  const size_t cross = sides.find_first_of("xX");
  const auto after = [](std::string_view whole, size_t place) {
    return place == std::string_view::npos ? std::string_view() : whole.substr(place + 1);
  };
  const std::string_view width = sides.substr(0, cross), height = after(sides, cross), bits = after(text, at);
  if (!all_digits(width) || !all_digits(height) || (at != std::string_view::npos && !all_digits(bits))) {
    throw Error(ErrorKind::kUsage, "invalid value \"" + printable(text) + "\"; expected a size such as 1920x1080" +
                                       (with_bits ? " or 1920x1080@8." : "."));
  }
  return {std::string(width), std::string(height), std::string(bits)};
}

Settings encode_settings(std::string_view text) {
  const Size size = parse_size(text, true);
  Settings settings = {{"enc_width", size.width}, {"enc_height", size.height}};
  if (!size.bits.empty()) settings.emplace_back("enc_bitdepth", size.bits);
  return settings;
}

Settings source_settings(std::string_view text) {
  const Size size = parse_size(text, false);
  return {{"src_width", size.width}, {"src_height", size.height}};
}

// The options of CAMBI in the models of VMAF v1.
Settings profile_settings(std::string_view text) {
  if (text != "vmaf-v1") {
    throw Error(ErrorKind::kUsage, "unknown value \"" + printable(text) + "\". Expected vmaf-v1.");
  }
  return {{"cambi_high_res_speedup", "1080"}, {"cambi_vis_lum_threshold", "0.06"}, {"cambi_max_val", "17"}};
}

constexpr FeatureFlag kFlags[] = {
    {.name = "--full-ref", .help = "also score the reference, and the difference", .option = "full_ref"},
    {.name = "--profile",
     .type = "vmaf-v1",
     .help = "preset: the options CAMBI has within VMAF v1",
     .expand = profile_settings,
     .is_preset = true},
    {.name = "--enc",
     .type = "WxH[@BITS]",
     .help = "size and bit depth at which the video was encoded, where it was scaled or padded since",
     .expand = encode_settings},
    {.name = "--src", .type = "WxH", .help = "size at which the reference is scored", .expand = source_settings},
    {.name = "--eotf",
     .type = "auto|bt1886|pq|hlg",
     .help = "transfer function of the display; auto: PQ or HLG where the video says so, else BT.1886",
     .option = "eotf"},
    {.name = "--range",
     .type = "auto|limited|full",
     .help = "luma quantization range; auto: as the video says",
     .option = "range"},
    {.name = "--topk",
     .type = "0.0001..1",
     .help = "fraction of the highest c-values that is pooled at each scale; default: 0.6",
     .option = "topk"},
    {.name = "--window-size",
     .type = "15..127",
     .help = "side of the window at 4K, in pixels; default: 65, about one degree of the field of view",
     .option = "window_size"},
    {.name = "--tvi-threshold",
     .type = "0.0001..1",
     .help = "smallest visible difference, as a share of the luminance; default: 0.019",
     .option = "tvi_threshold"},
    {.name = "--max-log-contrast",
     .type = "0..5",
     .help = "log2 of the largest step examined, in 10-bit code values; default: 2",
     .option = "max_log_contrast"},
    {.name = "--vis-lum",
     .type = "0..300",
     .help = "luminance in cd/m2 below which banding is not visible; default: 0",
     .option = "cambi_vis_lum_threshold"},
    {.name = "--max-val",
     .type = "0..1000",
     .help = "clip reported scores to this value; default: 1000",
     .option = "cambi_max_val"},
    {.name = "--high-res-speedup",
     .type = "0|1080|1440|2160",
     .help = "score at half size from this many 16:9 lines on; default: 0, never",
     .option = "cambi_high_res_speedup"},
};

const char* eotf_of(Transfer transfer) {
  switch (transfer) {
    case Transfer::kPq:
      return "pq";
    case Transfer::kHlg:
      return "hlg";
    case Transfer::kUnspecified:
    case Transfer::kBt1886:
    case Transfer::kOther:
      break;
  }
  return "bt1886";
}

const char* range_of(Range range) {
  return range == Range::kFull ? "full" : "limited";
}

bool says_transfer(const VideoFormat& video) {
  return video.transfer != Transfer::kUnspecified && video.transfer != Transfer::kOther;
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
    resolution.warnings.push_back(name + " is tagged " + std::string(to_string(video.transfer)) + ", but eotf is " + eotf +
                                  ".");
  }
  if (video.range != Range::kUnspecified && range != range_of(video.range)) {
    resolution.warnings.push_back(name + " is tagged " + std::string(to_string(video.range)) + " range, but range is " +
                                  range + ".");
  }
}

void warn_of_difference(const InputFormats& formats, Resolution& resolution) {
  const VideoFormat &video = formats.distorted, &reference = *formats.reference;
  const auto differs = [&](const std::string& what, const std::string& one, const std::string& other) {
    if (one == other) return;
    resolution.warnings.push_back(shown_path(video.name) + " is " + one + " and " +
                                  shown_path(reference.name) + " is " + other + "; the " + what +
                                  " of the first is used for both.");
  };
  differs("transfer function", eotf_of(video.transfer), eotf_of(reference.transfer));
  differs("range", std::string(range_of(video.range)) + " range", std::string(range_of(reference.range)) + " range");
}

// Of options that are exactly as given.
Resolution exact_warnings(const OptionSet& options, const InputFormats& formats, AskedBy asked_by) {
  Resolution resolution;
  const std::string &eotf = options.get_text("eotf"), &range = options.get_text("range");
  const bool any_reference = formats.reference && options.get_bool("full_ref");
  for (const VideoFormat* video : {&formats.distorted, any_reference ? &*formats.reference : nullptr}) {
    if (video == nullptr) continue;
    const std::string name = shown_path(video->name);
    if (video->range == Range::kFull && range != "full") {
      resolution.warnings.push_back(name + " is full range; CAMBI's thresholds assume limited range.");
    }
    // A model cannot be told otherwise, and that it is not for such pictures is said once, of all its features.
    if (asked_by != AskedBy::kModel && says_transfer(*video) && eotf != eotf_of(video->transfer)) {
      resolution.warnings.push_back(name + " is tagged " + std::string(to_string(video->transfer)) +
                                    ", but CAMBI takes it as " + eotf + ". Try --feature cambi --eotf auto.");
    }
  }
  return resolution;
}

}  // namespace

std::span<const FeatureFlag> flags() {
  return kFlags;
}

Resolution resolve(OptionSet& options, const InputFormats& formats, AskedBy asked_by) {
  const bool any_auto = options.get_text("eotf") == "auto" || options.get_text("range") == "auto";
  if (asked_by != AskedBy::kProgram && !any_auto) return exact_warnings(options, formats, asked_by);
  const VideoFormat& video = formats.distorted;
  Resolution resolution;
  const bool range_was_auto = options.get_text("range") == "auto";
  resolution.notes.push_back(settle({"eotf", eotf_of(video.transfer), says_transfer(video)}, options));
  const std::string range = settle({"range", range_of(video.range), video.range != Range::kUnspecified}, options);
  // Limited range is what everybody expects.
  if (options.get_text("range") == "full" || !range_was_auto) resolution.notes.push_back(range);
  warn_of_contradiction(video, options, resolution);
  if (formats.reference && options.get_bool("full_ref")) warn_of_difference(formats, resolution);
  return resolution;
}

std::string depth_advice(const OptionSet& options, const VideoFormat& video, int depth, AskedBy asked_by) {
  if (depth >= kDitheredBelow || options.is_set("enc_bitdepth")) return {};
  if (asked_by == AskedBy::kModel) return "--model ...:cambi.enc_bitdepth=" + std::to_string(depth);
  return "--enc " + std::to_string(video.width) + "x" + std::to_string(video.height) + "@" + std::to_string(depth);
}

}  // namespace vq::cambi
