#include "cli/commands/flag_setters.h"

#include <charconv>
#include <cmath>

#include "cli/decoding/hardware/hardware_pictures.h"
#include "cli/inputs/feature_flags.h"
#include "cli/system/messages.h"
#include "core/error.h"
#include "core/text.h"
#include "engine/backend_choice.h"
#include "engine/known_metrics.h"

namespace vq::cli {

constexpr int64_t kMaxWorst = 1000;

// Which of the words of its type.
static size_t choice(const Flag& flag, const std::string& text) {
  return choice_value(std::string(flag.name), text, choices_of(flag));
}

void set_nothing(RunOptions&, const Flag&, const std::string&) {}

void set_worst(RunOptions& options, const Flag& flag, const std::string& text) {
  const size_t worst = static_cast<size_t>(int_value(std::string(flag.name), text, {0, kMaxWorst}));
  options.worst = worst;
  options.heatmaps.worst = worst;
}

void set_page_pictures(RunOptions& options, const Flag& flag, const std::string& text) {
  constexpr PageQuality kQualities[] = {PageQuality::kSmall, PageQuality::kLossless};
  options.heatmaps.page_quality = kQualities[choice(flag, text)];
}

void set_segments(RunOptions& options, const Flag&, const std::string& text) {
  options.segments.push_back(parse_segments(text));
}

void set_segments_until(RunOptions& options, const Flag& flag, const std::string& text) {
  double value = 0;
  if (!parse_real(text, value) || !std::isfinite(value))
    throw usage_error("{}: \"{}\" is not a number.", flag.name, printable(text));
  options.segments_until = value;
}

void set_page(RunOptions& options, const Flag&, const std::string& text) {
  options.outputs.push_back({.path = text, .format = ReportFormat::kHtml});
}

void set_scenes(RunOptions& options, const Flag&, const std::string& text) {
  options.scenes = GivenScenes{.path = text, .list = {}};
}

void add_features(RunOptions& options, const Flag&, const std::string& text) {
  for (FeatureRequest& request : parse_features(text)) options.asked_features.push_back(std::move(request));
}

void add_output(RunOptions& options, const Flag&, const std::string& text) {
  options.outputs.push_back({.path = text, .format = {}});
}

void add_segment_output(RunOptions& options, const Flag& flag, const std::string& text) {
  using enum ReportFormat;
  const size_t colon = std::min(text.find(':'), text.size());
  for (const ReportFormat format :
       {kSegmentTable, kChapters, kX264Zones, kX265Zones, kAv1anZones, kSvtEssentialZones, kAv1anScenes}) {
    const std::string_view form = format == kSegmentTable ? "csv" : info_of(format).word;
    if (text.substr(0, colon) != form || colon + 1 >= text.size()) continue;
    options.outputs.push_back({.path = text.substr(colon + 1), .format = format});
    return;
  }
  throw usage_error(
      "{}: \"{}\" is not allowed; it takes csv, chapters, x264, x265, av1an, svt-essential or av1an-scenes, "
      "a colon and a file, such as x265:zones.txt.",
      flag.name, printable(text));
}

// A file of Av1an that exists already is more likely meant to be read than replaced.
void add_scenes(RunOptions& options, const Flag& flag, const std::string& text) {
  if (text == "table") {
    options.lists_scenes = true;
    return;
  }
  const bool is_table = named_format(text) == ReportFormat::kCsv || is_standard_output(text);
  if (!is_table) {
    throw usage_error(
        "{} writes FILE.csv, or with \"table\" lists scenes in the summary, not \"{}\". To read scenes from "
        "a file: --scenes-from FILE. For Av1an: --segments-output av1an-scenes:FILE",
        flag.name, printable(text));
  }
  options.outputs.push_back({.path = text, .format = ReportFormat::kSceneTable});
}

void set_progress(RunOptions& options, const Flag& flag, const std::string& text) {
  options.progress = *parse_progress_form(choices_of(flag)[choice(flag, text)]);
}

double confidence_value(const std::string& flag, const std::string& text) {
  double percent = 0;
  const std::string number = text.ends_with('%') ? text.substr(0, text.size() - 1) : text;
  if (parse_real(number, percent) && percent > 50 && percent < 100) return percent;
  throw usage_error("{}: \"{}\" is no percentage above 50 and below 100, such as 99.", flag, printable(text));
}

double tolerance_value(const std::string& flag, const std::string& text) {
  double value = 0;
  if (parse_real(text, value) && value > 0 && std::isfinite(value)) return value;
  throw usage_error("{}: \"{}\" is no number above 0, such as 0.5.", flag, printable(text));
}

uint64_t seed_value(const std::string& flag, const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  throw usage_error("{}: \"{}\" is no whole number from 0 to 2^64 - 1.", flag, printable(text));
}

ScoreTarget score_target(const std::string& flag, const std::string& text) {
  const size_t at = text.rfind(':');
  ScoreTarget target;
  if (at != text.npos) target.metric = text.substr(0, at);
  if (!parse_real(at == text.npos ? text : text.substr(at + 1), target.value))
    throw usage_error("{}: \"{}\" is not METRIC:VALUE. Try: {} vmaf:95", flag, printable(text), flag);
  return target;
}

void refuse_target_statistic(const Statistic& statistic) {
  if (!statistic.is_share() && statistic.name != "stdev") return;
  throw usage_error("--target is a score, so it cannot be judged by --by {}. Try: --by p5", statistic.name);
}

FrameRate frame_rate_value(const std::string& flag, const std::string& text) {
  constexpr int64_t kMost = 1'000'000, kDecimals = 1'000'000;
  const size_t slash = text.find('/');
  long long num = 0, den = 1;
  double real = 0;
  bool is_rate = false;
  if (slash != std::string::npos) {
    is_rate = parse_int(text.substr(0, slash), num) && parse_int(text.substr(slash + 1), den);
  } else if (parse_real(text, real) && real > 0 && real <= 1000) {
    num = std::llround(real * kDecimals);
    den = kDecimals;
    const long long common = std::gcd(num, den);
    num /= common;
    den /= common;
    is_rate = true;
  }
  // From a frame in a thousand seconds to a thousand frames a second.
  if (!is_rate || num <= 0 || den <= 0 || num > 1000 * den || den > 1000 * num || num > kMost * 1000 ||
      den > kMost) {
    throw usage_error(
        "{}: \"{}\" is no frame rate; it takes a number or a fraction, such as 24, 23.976 or 24000/1001.",
        flag, printable(text));
  }
  return {static_cast<int>(num), static_cast<int>(den)};
}

void set_backend(RunOptions& options, const Flag& flag, const std::string& text) {
  const std::string ours = own_words(words("{} {}", flag.name, text));
  if (!ours.empty()) throw usage_error("{}: unknown value \"{}\". Use: {}", flag.name, printable(text), ours);
  choice(flag, text);
  options.backend = backend_named(text);
}

void set_decoder(RunOptions& options, const Flag& flag, const std::string& text) {
  constexpr DecoderRequest kRequests[] = {DecoderRequest::kAuto, DecoderRequest::kSoftware,
                                          DecoderRequest::kHardware};
  options.hardware.decoder = kRequests[choice(flag, text)];
}

void set_hwaccel(RunOptions& options, const Flag& flag, const std::string& text) {
  const std::vector<std::string> names = hwaccel_names();
  if (!contains(names, text)) {
    throw usage_error("{}: this FFmpeg has no \"{}\"{}", flag.name, printable(text),
                      names.empty() ? "." : words("; it has {}.", join(names, ", ")));
  }
  options.hardware.hwaccel = text;
}

void add_feature_flag(RunOptions& options, const Flag& flag, const std::string& text) {
  if (!choices_of(flag).empty()) choice(flag, text);  // here, so that the flag's name stands in the message
  for (FeatureSetting& setting : settings_of(std::string(flag.name), text))
    options.settings.push_back(std::move(setting));
}

void add_model(RunOptions& options, const Flag& flag, const std::string& text) {
  const std::string name = lower_case(text);
  if (contains(features(), name, &FeatureInfo::name))
    throw usage_error("{}: \"{}\" is a feature. Use: --feature {}", flag.name, printable(text), name);
  for (model::ModelSpec& spec : model::parse_model_specs(text))
    options.model_specs.push_back(std::move(spec));
}

void add_preset(RunOptions& options, const model::Preset& preset) {
  for (const std::string& text : preset.models) options.model_specs.push_back(model::parse_model_spec(text));
  for (const std::string& text : preset.features) options.asked_features.push_back(parse_feature(text));
}

void set_scale(RunOptions& options, const Flag& flag, const std::string& text) {
  if (text == "reference") {
    options.scale.emplace();
    return;
  }
  const size_t cross = text.find_first_of("xX");
  const std::string width = text.substr(0, cross),
                    height = cross == std::string::npos ? "" : text.substr(cross + 1);
  if (!all_digits(width) || !all_digits(height)) {
    throw usage_error("{}: \"{}\" is not allowed; it takes reference, or a size such as 1920x1080.",
                      flag.name, printable(text));
  }
  const std::string name(flag.name);
  options.scale = ScaleRequest{PlaneSize{side_value(name, width), side_value(name, height)}};
}

void set_subsample(RunOptions& options, const Flag& flag, const std::string& text) {
  constexpr std::string_view kSpread = ":spread";
  Sampling& sampling = options.sampling;
  const bool is_spread = text.ends_with(kSpread);
  const std::string number = is_spread ? text.substr(0, text.size() - kSpread.size()) : text;
  if (contains(number, ':'))
    throw usage_error("{}: \"{}\" is not allowed; it takes N or N:spread.", flag.name, printable(text));
  sampling.every = std::max<int64_t>(1, c_int_value(std::string(flag.name), number, {0, kMaxFrameNumber}));
  sampling.is_spread = is_spread && sampling.every > 1;
}

// How FFmpeg's filter names a feature: name=NAME:key=value, several with bars between.
constexpr std::string_view kOfFilter = "name=";

static std::vector<std::string> specs_of_filter(std::string_view text) {
  std::vector<std::string> specs;
  const std::string next = words("|{}", kOfFilter);
  while (true) {
    text.remove_prefix(kOfFilter.size());
    const size_t bar = text.find(next);
    std::string spec(text.substr(0, bar));
    if (const size_t colon = spec.find(':'); colon != std::string::npos) spec[colon] = '=';
    specs.push_back(std::move(spec));
    if (bar == std::string_view::npos) return specs;
    text.remove_prefix(bar + 1);
  }
}

// Says where all names are listed, unless one near to it was found.
static std::string with_list(const std::string& text) {
  return text + (text.ends_with('?') ? "" : " See: cambi features");
}

const FeatureInfo& named_feature(const std::string& name) {
  try {
    return find_feature(name);
  } catch (const Error& error) {
    throw Error(error.kind(), with_list(error.what()));
  }
}

std::vector<FeatureRequest> parse_features(std::string_view text) {
  if (text.starts_with(kOfFilter)) return mapped(specs_of_filter(text), parse_feature);
  std::vector<FeatureRequest> requests;
  // A comma within a name is one between features.
  for (size_t comma = text.find(','); comma < text.find('='); comma = text.find(',')) {
    requests.push_back(parse_feature(text.substr(0, comma)));
    text.remove_prefix(comma + 1);
  }
  requests.push_back(parse_feature(text));
  return requests;
}

FeatureRequest parse_feature(std::string_view text) {
  try {
    return parse_feature_spec(text);
  } catch (const FeatureSpecError& error) {
    const std::string ours = own_words(words("--feature {}", error.feature()));
    switch (error.fault()) {
      case FeatureSpecError::Fault::kForm:
        throw Error(error.kind(), words("--feature {}", error.what()));
      case FeatureSpecError::Fault::kOption:
        throw Error(error.kind(),
                    words("--feature {} (see: cambi features {})", error.what(), error.feature()));
      case FeatureSpecError::Fault::kName:
        break;
    }
    throw Error(error.kind(),
                ours.empty() ? words("--feature: {}", with_list(error.what()))
                             : words("--feature: unknown feature \"{}\". Use: {}", error.feature(), ours));
  }
}

void check_metric_names(std::span<const FeatureRequest> requests) {
  std::set<std::string> seen;
  for (const FeatureRequest& request : requests) {
    for (const std::string& name : request.info->metric_names(request.options)) {
      if (seen.insert(name).second) continue;
      throw usage_error(
          "two features would both report \"{}\". Drop one, or give them options that tell them apart.",
          name);
    }
  }
}

}  // namespace vq::cli

namespace vq::model {

constexpr std::string_view kAomVersions[] = {"v1.0", "v2.0", "v3.0", "v4.0", "v5.0", "v6.0", "v7.0"};
constexpr std::string_view kNflxVersions[] = {"v1.0"};

// The place of a version among those that there are.
static size_t place_of(const char* flag, const std::string& version,
                       std::span<const std::string_view> versions) {
  const auto found = std::ranges::find(versions, version);
  if (found != versions.end()) return static_cast<size_t>(found - versions.begin());
  throw usage_error("{}: unknown version \"{}\"; there is {}.", flag, printable(version),
                    join(versions, ", "));
}

Preset aom_ctc(const std::string& version) {
  const size_t place = place_of("--aom_ctc", version, kAomVersions);
  constexpr size_t kWithCambi = 2, kWithScaleOfSsim = 6;  // from v3.0, and from v7.0 on
  const std::string scale = place >= kWithScaleOfSsim ? "scale=1:" : "";
  Preset preset;
  preset.models = {"version=vmaf_v0.6.1:name=vmaf", "version=vmaf_v0.6.1neg:name=vmaf_neg"};
  preset.features = {"psnr=reduced_hbd_peak=true:enable_apsnr=true:min_sse=0.5", "ciede",
                     "float_ssim=" + scale + "enable_db=true:clip_db=true",
                     "float_ms_ssim=enable_db=true:clip_db=true", "psnr_hvs"};
  if (place >= kWithCambi) preset.features.emplace_back("cambi");
  return preset;
}

Preset nflx_ctc(const std::string& version) {
  place_of("--nflx_ctc", version, kNflxVersions);
  Preset preset;
  preset.models = {"version=vmaf_4k_v0.6.1:name=vmaf", "version=vmaf_4k_v0.6.1neg:name=vmaf_neg"};
  preset.features = {"psnr=enable_chroma=true:enable_apsnr=true", "float_ssim=enable_db=true:clip_db=true",
                     "cambi"};
  return preset;
}

}  // namespace vq::model
