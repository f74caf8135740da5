#include <algorithm>

#include "cli/arguments.h"
#include "cli/byte_source.h"
#include "cli/compare.h"
#include "cli/flag_parser.h"
#include "cli/interrupt.h"
#include "cli/output_check.h"
#include "cli/output_file.h"
#include "cli/report_reader.h"
#include "cli/run.h"
#include "cli/score_several.h"
#include "core/error.h"

namespace vq::cli {
namespace {

constexpr const char* kUsage =
    "cambi compare A B [...] [--by STATISTIC] [--metric NAME] [--html FILE] [flags]\n\n"
    "A, B, ... are JSON reports (by their extension) or videos, which are scored with the flags given.\n"
    "--by takes mean, harmonic, min, max, stdev, p50, p90, p95, p99 or share (of frames from 5 on); the\n"
    "lowest comes first. Default: mean.\n"
    "-r REF, --full-ref and the other flags of a run: see cambi --help.\n";

bool is_report(const std::string& path) {
  return format_of_path(path) == ReportFormat::kJson;
}

void check(const SeveralArguments& several) {
  if (several.paths.size() < 2) {
    throw Error(ErrorKind::kUsage, "compare needs two reports or videos at least. Try: cambi compare A B");
  }
  refuse_run_outputs(several.arguments, "compare");
  std::vector<std::string> outputs;
  for (const OutputRequest& output : several.arguments.outputs) {
    if (output.format != ReportFormat::kHtml) {
      throw Error(ErrorKind::kUsage,
                  "compare writes no reports, only a page: use --html, or score the videos one by one.");
    }
    outputs.push_back(output.path);
  }
  std::vector<std::string> inputs = several.paths;
  if (several.arguments.reference) inputs.push_back(*several.arguments.reference);
  if (std::count_if(inputs.begin(), inputs.end(), is_standard_input) > 1) {
    throw Error(ErrorKind::kUsage, "standard input is named more than once; it can be read only once.");
  }
  check_outputs(outputs, inputs);
}

std::vector<NamedReport> load(const SeveralArguments& several, Messages& messages) {
  std::vector<std::string> videos;
  for (const std::string& path : several.paths) {
    if (!is_report(path)) videos.push_back(path);
  }
  std::vector<NamedReport> runs;
  for (const std::string& path : several.paths) {  // before the videos, which take long
    runs.push_back({path, is_report(path) ? to_report(read_report(path)) : Report{}});
  }
  std::vector<Report> scored = score_several(several.arguments, videos, messages);
  if (interrupt_signal() != 0) return {};
  auto next = scored.begin();
  for (NamedReport& run : runs) {
    if (!is_report(run.name)) run.report = std::move(*next++);
  }
  return runs;
}

}  // namespace

int run_compare(const std::vector<std::string>& words, Messages& messages) {
  std::vector<std::string> rest = words;
  const std::string by = take_flag(rest, "--by", "mean");
  const Statistic& statistic = find_statistic(by);
  const std::string metric = take_flag(rest, "--metric", "");
  const std::variant<SeveralArguments, TextRequest> parsed = parse_several(rest);
  if (const TextRequest* request = std::get_if<TextRequest>(&parsed)) {
    write_stdout(request->is_help ? kUsage : request->text);
    return 0;
  }
  const SeveralArguments& several = std::get<SeveralArguments>(parsed);
  check(several);
  std::vector<NamedReport> runs = load(several, messages);
  if (interrupt_signal() != 0) {
    messages.error("interrupted; nothing is compared");
    return interrupt_exit_code(interrupt_signal());
  }
  const ComparisonBasis basis{common_metric(runs, metric), std::string(statistic.key)};
  rank(runs, basis.metric, statistic);
  std::vector<OutputText> outputs;
  for (const OutputRequest& output : several.arguments.outputs) {
    outputs.push_back({output.path, write_comparison_page(runs, basis)});
  }
  if (!several.arguments.quiet) outputs.push_back({"/dev/stdout", comparison_text(runs, basis)});
  write_outputs(outputs);
  return 0;
}

}  // namespace vq::cli
