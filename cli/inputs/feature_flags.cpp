#include "cli/inputs/feature_flags.h"

#include "core/error.h"
#include "core/text.h"
#include "feature/feature.h"

namespace vq::cli {

template <typename Test>
static const FeatureFlag* find_flag_if(const FeatureInfo& info, Test test) {
  const std::span<const FeatureFlag> flags = own_flags(info);
  const auto found = std::ranges::find_if(flags, test);
  return found == flags.end() ? nullptr : &*found;
}

static const FeatureFlag* find_flag(const FeatureInfo& info, const std::string& name) {
  return find_flag_if(info, [&](const FeatureFlag& flag) { return flag.name == name; });
}

// The options that the flag sets to this text, and their values.
static std::vector<std::pair<std::string_view, std::string>> expanded(const FeatureFlag& flag,
                                                                      const std::string& text) {
  if (flag.expand == nullptr) return {{flag.option, flag.type.empty() ? "true" : text}};
  try {
    return flag.expand(text);
  } catch (const Error& error) {
    throw Error(error.kind(), words("{}: {}", flag.name, error.what()));
  }
}

std::string names_of(std::span<const FeatureRequest> requests) {
  return join(requests, ", ", [](const FeatureRequest& request) { return request.info->name; });
}

const FeatureFlag* flag_for(const FeatureInfo& info, std::string_view option) {
  return find_flag_if(info,
                      [&](const FeatureFlag& flag) { return !option.empty() && flag.option == option; });
}

std::string in_words(const ResolutionWarning& warning, const FeatureInfo& info) {
  const FeatureFlag* const flag = flag_for(info, warning.open_option);
  if (flag == nullptr) return warning.text;
  return words("{} Try --feature {} {} auto.", warning.text, info.name, flag->name);
}

std::vector<FeatureSetting> settings_of(const std::string& flag, const std::string& text) {
  std::vector<FeatureSetting> settings;
  const std::string asked_by = text.empty() ? flag : words("{} {}", flag, printable(text));
  for (const FeatureInfo* const info : features()) {
    const FeatureFlag* const own = find_flag(*info, flag);
    if (own == nullptr) continue;
    for (auto& [option, value] : expanded(*own, text)) {
      settings.push_back({.asked_by = asked_by,
                          .feature = info->name,
                          .option = option,
                          .value = std::move(value),
                          .is_preset = own->is_preset && own->expand != nullptr});
    }
  }
  return settings;
}

void refuse_flags(std::span<const GivenOption> given, std::span<const FeatureRequest> requests) {
  for (const GivenOption& option : given) {
    const std::string name(option.name);
    const auto has_it = [&](const FeatureInfo* info) { return find_flag(*info, name) != nullptr; };
    const auto is_of = [&](const FeatureRequest& request) { return has_it(request.info); };
    if (std::ranges::none_of(features(), has_it) || std::ranges::any_of(requests, is_of)) continue;
    throw usage_error("{} has no effect here: it is not for {}.", name, names_of(requests));
  }
}

// The flags of features on the command line, such as --topk.

namespace {

using Settings = std::vector<std::pair<std::string_view, std::string>>;

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
    throw usage_error("invalid value \"{}\"; expected a size such as 1920x1080{}", printable(text),
                      with_bits ? " or 1920x1080@8." : ".");
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
  if (text != "vmaf-v1") throw usage_error("unknown value \"{}\". Expected vmaf-v1.", printable(text));
  return {{"cambi_high_res_speedup", "1080"}, {"cambi_vis_lum_threshold", "0.06"}, {"cambi_max_val", "17"}};
}

constexpr FeatureFlag kCambi[] = {
    {"--full-ref", "", "also score the reference, and the difference", "full_ref"},
    {"--profile", "vmaf-v1", "preset: CAMBI's options in VMAF v1", "", profile_settings, true},
    {"--enc", "WxH[@BITS]",
     "size and bit depth at which the video was encoded, if it was scaled or padded since", "",
     encode_settings},
    {"--src", "WxH", "size at which the reference is scored", "", source_settings},
    {"--eotf", "auto|bt1886|pq|hlg",
     "transfer function of the display; auto: PQ or HLG if the video is tagged so, otherwise BT.1886",
     "eotf"},
    {"--range", "auto|limited|full", "luma quantization range; auto: as the video is tagged", "range"},
    {"--topk", "0.0001..1", "fraction of the highest c-values that is pooled at each scale; default: 0.6",
     "topk"},
    {"--window-size", "15..127",
     "side of the window at 4K, in pixels; default: 65, about one degree of the field of view",
     "window_size"},
    {"--tvi-threshold", "0.0001..1",
     "smallest visible difference, as a share of the luminance; default: 0.019", "tvi_threshold"},
    {"--max-log-contrast", "0..5", "log2 of the largest step examined, in 10-bit code values; default: 2",
     "max_log_contrast"},
    {"--vis-lum", "0..300", "luminance in cd/m2 below which banding is not visible; default: 0",
     "cambi_vis_lum_threshold"},
    {"--max-val", "0..1000", "clip reported scores to this value; default: 1000", "cambi_max_val"},
    {"--high-res-speedup", "0|1080|1440|2160",
     "score at half size from this number of 16:9 lines on; default: 0, never", "cambi_high_res_speedup"},
};

constexpr FeatureFlag kFingerprint[] = {
    {"--planes", "y|all", "planes that a fingerprint covers: luma (default), or all", "planes"},
};

constexpr FeatureFlag kHistogram[] = {
    {"--histograms", "FILE", "write the histograms of all frames: .npy for NumPy, or .csv", "file"},
};

constexpr std::pair<std::string_view, std::span<const FeatureFlag>> kTables[] = {
    {"cambi", kCambi}, {"fingerprint", kFingerprint}, {"histogram", kHistogram}};

}  // namespace

std::span<const FeatureFlag> own_flags(const FeatureInfo& info) {
  for (const auto& [feature, flags] : kTables) {
    if (feature == info.name) return flags;
  }
  return {};
}

std::string depth_advice(const FeatureRequest& request, const VideoFormat& video, int depth) {
  const OptionSpec* const option = find_role(request.info->options, OptionRole::kEncodedDepth);
  if (option == nullptr || depth >= request.info->depth_matters_below || request.options.is_set(option->name))
    return {};
  const std::string bits = std::to_string(depth);
  if (request.asked_by == AskedBy::kModel) {
    return words("--model ...:{}.{}={}", request.info->name, option->name, bits);
  }
  return words("--enc {}@{}", size_text(video.size()), bits);
}

}  // namespace vq::cli
