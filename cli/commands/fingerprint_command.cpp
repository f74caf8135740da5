#include "cli/commands/subcommand.h"

#include <algorithm>

#include "cli/batch/score_several.h"
#include "cli/commands/arguments.h"
#include "cli/reports/frame_match.h"
#include "cli/run/run.h"
#include "cli/system/exit_code.h"
#include "cli/system/output_file.h"
#include "cli/system/standard_streams.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr std::string_view kFeature = "fingerprint";

bool is_json(const OutputRequest& output) {
  if (output.format == ReportFormat::kJson) return true;
  if (output.format == ReportFormat::kCsv) return false;
  throw Error(ErrorKind::kUsage,
              "fingerprint writes JSON or CSV: use -o FILE.json or FILE.csv, or for standard output --json "
              "or --csv.");
}

// What has no meaning here is refused before anything is read.
void check_fingerprinted(const SeveralArguments& several) {
  const RunOptions& arguments = several.arguments;
  if (arguments.reference) {
    throw Error(ErrorKind::kUsage, "fingerprint takes no reference. Name both videos: cambi fingerprint A B");
  }
  refuse_run_flags(arguments, "fingerprint");
  const char* const flag = arguments.extended                ? "--extended"
                           : arguments.precision             ? "--precision"
                           : arguments.worst                 ? "--worst"
                           : arguments.heatmaps.page_quality ? "--page-pictures"
                                                             : nullptr;
  if (flag != nullptr) throw Error(ErrorKind::kUsage, words("{} has no effect on fingerprints.", flag));
  std::vector<std::string> outputs;
  for (const OutputRequest& output : arguments.outputs) {
    is_json(output);
    outputs.push_back(output.path);
  }
  if (std::count_if(several.paths.begin(), several.paths.end(), is_standard_input) > 1) {
    throw Error(ErrorKind::kUsage, "standard input is named more than once; it can be read only once.");
  }
  check_outputs(outputs, several.paths);
}

std::vector<FrameWords> words_of(const SeveralReports& scored, const std::vector<std::string>& paths) {
  std::vector<FrameWords> videos;
  for (size_t i = 0; i < paths.size(); ++i) {
    const std::optional<Report>& report = scored.reports[i];
    if (report) videos.push_back({paths[i], report->frames, report->timestamps, report->texts.at(0)});
  }
  return videos;
}

void write(const std::vector<FrameWords>& videos, const std::optional<FrameMatch>& match,
           const RunOptions& arguments, Messages& messages) {
  std::vector<OutputText> outputs;
  for (const OutputRequest& output : arguments.outputs) {
    outputs.push_back(
        {output.path, is_json(output) ? frame_words_json(videos, match) : frame_words_csv(videos)});
  }
  std::vector<OutputFile> files = write_outputs(outputs);
  // What is the result is printed even under --quiet where it has no other place.
  if (match && (outputs.empty() || !arguments.quiet)) write_for_people(match_text(*match), outputs);
  if (!match && outputs.empty()) write_stdout(frame_lines(videos));
  if (!arguments.quiet) tell_written("wrote", std::move(files), messages);
}

}  // namespace

int run_fingerprint(const ParsedArguments& typed, Messages& messages) {
  if (typed.find("--feature") != nullptr) {
    throw Error(
        ErrorKind::kUsage,
        "fingerprint computes nothing else, so it takes no --feature. Try: cambi VIDEO --feature ...");
  }
  SeveralArguments several = several_options(typed, kFeature);
  check_fingerprinted(several);
  enter_sandbox_of(several.arguments, {.read = several.paths}, messages);
  const SeveralReports scored = score_several(several.arguments, several.paths, messages, [](const auto&) {});
  if (const int signal = interrupt_signal(); signal != 0) {
    messages.error("interrupted");
    return interrupt_exit_code(signal);
  }
  if (scored.error) std::rethrow_exception(scored.error);
  const std::vector<FrameWords> videos = words_of(scored, several.paths);
  std::optional<FrameMatch> match;
  if (videos.size() == 2) match = match_frames(videos[0], videos[1]);
  write(videos, match, several.arguments, messages);
  return match && !match->same() ? exit_code(ErrorKind::kThreshold) : 0;
}

}  // namespace vq::cli
