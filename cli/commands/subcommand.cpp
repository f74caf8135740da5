#include "cli/commands/subcommand.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/commands/flag_parser.h"
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
  line("scan", info.interlaced ? "interlaced" : "progressive");
  const NumberStyle style{NumberStyle::Kind::kSignificant, 6};
  line("frame rate", info.frame_rate() ? number_text(*info.frame_rate(), style) + " fps" : "unknown");
  line("frames", info.frames ? std::to_string(*info.frames) + " (declared)" : "not declared");
  line("duration", info.duration ? timecode(*info.duration) : "unknown");
  return text;
}

}  // namespace

int run_devices(const std::vector<std::string>& words, Messages&) {
  CLI::App app("Lists the Vulkan devices of this machine.", "cambi devices");
  app.set_help_flag("--help", "print this help and exit");
  const auto help = parse_flags(app, words);
  write_stdout(help ? *help : device_table(stdout_width()));
  return 0;
}

int run_features(const std::vector<std::string>& words, Messages&) {
  CLI::App app("Lists the features, or the options of one.", "cambi features");
  app.set_help_flag("--help", "print this help and exit");
  std::string name;
  app.add_option("NAME", name, "a feature")->type_name("");
  if (const auto help = parse_flags(app, words)) {
    write_stdout(*help);
    return 0;
  }
  write_stdout(name.empty() ? feature_list() : option_table(find_feature(name)));
  return 0;
}

int run_info(const std::vector<std::string>& words, Messages& messages) {
  CLI::App app("Describes a video as the decoder sees it.", "cambi info");
  app.set_help_flag("--help", "print this help and exit");
  SourceOptions options;
  std::string stream;
  app.add_option("FILE", options.path, "a video; - is standard input")->type_name("")->required();
  app.add_option("--stream", stream, "index of the stream in the container")->type_name("N");
  if (words.empty()) refuse_bare(app.help(), "info needs a video.");
  if (const auto help = parse_flags(app, words)) {
    write_stdout(*help);
    return 0;
  }
  check_is_video(options.path);
  if (!stream.empty()) options.stream = static_cast<int>(int_value("--stream", stream, {0, 999}));
  options.stopped = [] { return interrupt_signal() != 0; };
  const std::unique_ptr<VideoSource> source = open_video(options);
  for (const std::string& warning : source->take_warnings()) messages.warn(warning);
  write_stdout(info_text(source->info()));
  return 0;
}

int run_diff(const std::vector<std::string>& words, Messages&) {
  CLI::App app("Compares two JSON reports, every metric of every frame. Exit code 7 where they differ.",
               "cambi diff");
  app.set_help_flag("--help", "print this help and exit");
  std::vector<std::string> paths;
  std::string places = std::to_string(kDefaultPlaces);
  app.add_option("REPORTS", paths, "two JSON reports")->type_name("");
  app.add_option("--places", places, "decimal places that must agree: 0..17, default 4")->type_name("N");
  if (words.empty()) refuse_bare(app.help(), "diff needs two reports.");
  if (const auto help = parse_flags(app, words)) {
    write_stdout(*help);
    return 0;
  }
  if (paths.size() != 2) throw Error(ErrorKind::kUsage, "diff needs two reports. Try: cambi diff A.json B.json");
  const int wanted = static_cast<int>(int_value("--places", places, {0, 17}));
  const DiffResult result = diff_reports(read_report(paths[0]), read_report(paths[1]), wanted);
  write_stdout(diff_text(result));
  return result.same() ? 0 : static_cast<int>(ErrorKind::kThreshold);
}

}  // namespace vq::cli
