#include "cli/commands/subcommand.h"

#include <algorithm>

#include "cli/decoding/open_video.h"
#include "cli/decoding/video_source.h"
#include "cli/output/messages.h"
#include "cli/reports/diff.h"
#include "cli/run/backend_choice.h"
#include "cli/run/input_kind.h"
#include "cli/run/progress.h"
#include "cli/system/interrupt.h"
#include "cli/text/argument_values.h"
#include "cli/text/message_text.h"
#include "cli/text/number_text.h"
#include "cli/text/text_table.h"
#include "cli/text/timecode.h"
#include "core/error.h"
#include "feature/registry.h"
#include "feature/simd_targets.h"

namespace vq::cli {
namespace {

constexpr int kMaxPlaces = 17;

std::string feature_list() {
  std::string text;
  for (const FeatureInfo* info : features()) {
    text += std::string(info->name) + "  " + std::string(info->summary) + "\n  backends:";
    for (const Backend backend : info->backends) text += " " + std::string(to_string(backend));
    text += "\n";
  }
  text += "\nInstruction sets of this CPU, best first (--cpumask restricts them):";
  for (const SimdTarget& target : allowed_simd_targets(0)) text += " " + std::string(target.name);
  return text + "\nThe options of a feature: cambi features NAME\n";
}

std::string option_table(const FeatureInfo& info) {
  constexpr auto kLeft = TextColumn::Align::kLeft;
  TextTable table(
      {{"option", kLeft}, {"alias", kLeft}, {"default", kLeft}, {"range", kLeft}, {"meaning", kLeft}});
  for (const OptionSpec& spec : info.options) {
    if (!spec.in_exact_form) continue;
    const std::string default_text = spec.default_text_form();
    table.add({std::string(spec.name), spec.alias.empty() ? "-" : std::string(spec.alias),
               default_text.empty() ? "-" : default_text, spec.range_text(), std::string(spec.help)});
  }
  std::string text = std::string(info.name) + ": " + std::string(info.summary) + "\n\n" + table.text();
  return text + "\nUse: --feature " + std::string(info.name) + "=option=value:option=value\n" +
         "Metric names carry the alias and value of every option that is not at its default.\n";
}

std::string info_text(const VideoInfo& info) {
  std::string text;
  const auto line = [&](const std::string& key, const std::string& value) {
    text += pad_right(key, 14) + value + "\n";
  };
  line("file", shown_path(info.path));
  line("container", info.container);
  line("codec", info.codec);
  line("pixel format", info.pixel_format);
  line("size", std::to_string(info.format.width) + "x" + std::to_string(info.format.height));
  line("bit depth", std::to_string(info.format.bit_depth));
  line("chroma", std::string(to_string(info.format.chroma)));
  line("range", std::string(to_string(info.format.range)));
  line("transfer", std::string(to_string(info.format.transfer)));
  line("matrix", std::string(to_string(info.format.matrix)));
  line("scan", info.interlaced ? "interlaced" : "progressive");
  const bool has_grain = info.film_grain == FilmGrain::kApplied || info.film_grain == FilmGrain::kNotApplied;
  line("film grain", has_grain ? "described by the stream" : std::string(to_string(info.film_grain)));
  const NumberStyle style{NumberStyle::Kind::kSignificant, 6};
  line("frame rate", info.frame_rate() ? number_text(*info.frame_rate(), style) + " fps" : "unknown");
  line("frames", info.frames ? std::to_string(*info.frames) + " (declared)" : "not declared");
  line("duration", info.duration ? timecode(*info.duration) : "unknown");
  return text;
}

}  // namespace

int run_devices(const ParsedWords&, Messages&) {
  write_stdout(device_table(stdout_width()));
  return 0;
}

int run_features(const ParsedWords& words, Messages&) {
  write_stdout(words.arguments.empty() ? feature_list() : option_table(find_feature(words.arguments[0])));
  return 0;
}

int run_info(const ParsedWords& words, Messages& messages) {
  SourceOptions options;
  options.path = words.arguments[0];
  check_is_video(options.path);
  if (const std::string* stream = words.find("--stream")) {
    options.stream = static_cast<int>(int_value("--stream", *stream, {0, kMaxStream}));
  }
  options.stopped = [] { return interrupt_signal() != 0; };
  const std::unique_ptr<VideoSource> source = open_video(options);
  for (const std::string& warning : source->take_warnings()) messages.warn(warning);
  write_stdout(info_text(source->info()));
  return 0;
}

int run_diff(const ParsedWords& words, Messages&) {
  const int places = places_of(words);
  const DiffResult result =
      diff_reports(read_report(words.arguments[0]), read_report(words.arguments[1]), places);
  write_stdout(diff_text(result));
  return result.same() ? 0 : static_cast<int>(ErrorKind::kThreshold);
}

int places_of(const ParsedWords& words) {
  const std::string* const text = words.find("--places");
  return text == nullptr ? kDefaultPlaces : static_cast<int>(int_value("--places", *text, {0, kMaxPlaces}));
}

}  // namespace vq::cli
