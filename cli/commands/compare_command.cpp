#include "cli/commands/compare_command.h"

#include <algorithm>

#include "cli/commands/arguments.h"
#include "cli/output/output_check.h"
#include "cli/output/output_file.h"
#include "cli/output/standard_streams.h"
#include "cli/output/written_lines.h"
#include "cli/pages/page_writer.h"
#include "cli/reports/compare.h"
#include "cli/reports/compare_files.h"
#include "cli/reports/report_reader.h"
#include "cli/run/input_kind.h"
#include "cli/run/run.h"
#include "cli/run/score_several.h"
#include "cli/system/interrupt.h"
#include "core/error.h"
#include "core/text.h"
#include "feature/registry.h"

namespace vq::cli {
namespace {

enum class RankingFormat { kJson, kCsv, kMarkdown, kPage };

// How an output is written. Throws Error{kUsage} for what a ranking cannot be.
RankingFormat ranking_format(const OutputRequest& output) {
  if (output.format == ReportFormat::kHtml) return RankingFormat::kPage;
  if (output.format == ReportFormat::kJson) return RankingFormat::kJson;
  if (output.format == ReportFormat::kCsv) return RankingFormat::kCsv;
  if (!output.format && output.path.ends_with(".md")) return RankingFormat::kMarkdown;
  throw Error(ErrorKind::kUsage,
              "compare writes a ranking as JSON, CSV or Markdown: use -o FILE.json, FILE.csv or FILE.md, or for "
              "standard output --json or --csv.");
}

void check(const SeveralArguments& several) {
  const RunOptions& arguments = several.arguments;
  refuse_run_flags(arguments, "compare");
  bool has_page = false;
  for (const OutputRequest& output : arguments.outputs) {
    has_page = has_page || ranking_format(output) == RankingFormat::kPage;
  }
  const char* flag = arguments.extended                               ? "--extended"
                     : arguments.worst && !has_page                   ? "--worst"
                     : arguments.precision && arguments.outputs.empty() ? "--precision"
                                                                      : nullptr;
  if (flag != nullptr) {
    throw Error(ErrorKind::kUsage, std::string(flag) + " has no effect on this comparison" +
                                       (arguments.extended ? "; a page always holds extended reports." : " without an output."));
  }
  std::vector<std::string> inputs = several.paths;
  if (arguments.reference) inputs.push_back(*arguments.reference);
  if (std::count_if(inputs.begin(), inputs.end(), is_standard_input) > 1) {
    throw Error(ErrorKind::kUsage, "standard input is named more than once; it can be read only once.");
  }
  check_outputs(output_places(arguments), inputs);
}

// What is compared: paths, and what they are called.
struct Compared {
  SeveralArguments several;
  std::vector<std::string> names;
};

// Under --film-grain both every video is there twice: with its grain and without.
Compared compared(SeveralArguments several) {
  const std::vector<std::string> names = short_names(several.paths);
  const bool both = several.arguments.film_grain == FilmGrainWish::kBoth;
  Compared all;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& path = several.paths[i];
    const bool twice = both && !is_json_report(path, several.arguments.raw.has_value());
    all.several.paths.insert(all.several.paths.end(), twice ? 2 : 1, path);
    all.names.push_back(twice ? names[i] + " with grain" : names[i]);
    if (twice) all.names.push_back(names[i] + " without grain");
  }
  if (all.names.size() < 2) {
    throw Error(ErrorKind::kUsage, "compare needs at least two reports or videos. Try: cambi compare A B ...");
  }
  all.several.arguments = std::move(several.arguments);
  return all;
}

// What was compared, and why not all.
struct Loaded {
  std::vector<NamedReport> runs;  // in the order given
  std::exception_ptr error;
};

NamedReport saved_run(const std::string& path, const RunOptions& arguments) {
  const ScoreTable table = read_report(path);
  NamedReport run{.name = {}, .report = to_report(table), .style = style_of(table), .path = path};
  if (arguments.precision) run.style.numbers = *arguments.precision;
  if (arguments.worst) run.style.worst = *arguments.worst;
  return run;
}

// Finds out before the videos are scored whether all will have the metric.
// The metric to rank by. Throws Error{kUsage} where the statistic is one that it does not have.
std::string ranked_metric(const std::vector<NamedReport>& runs, const std::string& wanted, const Statistic& statistic) {
  std::string metric = common_metric(runs, wanted);
  if (!statistic.is_share() || metric_info(metric).noteworthy) return metric;
  throw Error(ErrorKind::kUsage, "--by share: no score of " + printable(metric) +
                                     " is noteworthy by itself, so there is no share. Try: --by p5");
}

MetricCheck metric_check(const std::vector<std::optional<NamedReport>>& saved, const std::vector<std::string>& videos,
                         const ComparisonBasis& wanted) {
  return [&saved, &videos, wanted](const std::vector<std::vector<std::string>>& metrics) {
    std::vector<NamedReport> runs;
    for (const std::optional<NamedReport>& run : saved) {
      if (!run) continue;
      NamedReport& known = runs.emplace_back(NamedReport{.name = run->path, .report = {}});
      for (const Metric& metric : run->report.metrics) known.report.metrics.push_back({metric.name, {}});
    }
    for (size_t i = 0; i < videos.size(); ++i) {
      if (metrics[i].empty()) continue;  // known when it is scored
      NamedReport& known = runs.emplace_back(NamedReport{.name = videos[i], .report = {}});
      for (const std::string& name : metrics[i]) known.report.metrics.push_back({name, {}});
    }
    if (!runs.empty()) ranked_metric(runs, wanted.metric, wanted.statistic);
  };
}

Loaded load(const Compared& inputs, const ComparisonBasis& wanted, Messages& messages) {
  const SeveralArguments& several = inputs.several;
  const RunOptions& arguments = several.arguments;
  std::vector<std::optional<NamedReport>> runs(several.paths.size());
  std::vector<std::string> videos;
  for (size_t i = 0; i < runs.size(); ++i) {  // before the videos, which take long
    const std::string& path = several.paths[i];
    if (is_json_report(path, arguments.raw.has_value())) {
      runs[i] = saved_run(path, arguments);
    } else {
      videos.push_back(path);
    }
  }
  if (videos.empty() && !arguments.scoring_flags.empty()) {
    throw Error(ErrorKind::kUsage, arguments.scoring_flags.front() + " has no effect on reports: it says how videos are scored.");
  }
  Loaded loaded;
  SeveralReports scored = score_several(arguments, videos, messages, metric_check(runs, videos, wanted));
  loaded.error = scored.error;
  const ReportStyle style{.numbers = arguments.precision.value_or(NumberStyle()),
                          .worst = arguments.worst.value_or(ReportStyle().worst)};
  auto next = scored.reports.begin();
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i]) {
      std::optional<Report>& report = *next++;
      if (!report) continue;
      runs[i] = NamedReport{.name = {}, .report = std::move(*report), .style = style, .path = several.paths[i]};
    }
    runs[i]->name = inputs.names[i];
    loaded.runs.push_back(std::move(*runs[i]));
  }
  return loaded;
}

std::string text_of(const std::vector<NamedReport>& runs, const ComparisonBasis& basis, RankingFormat format,
                    const RunOptions& arguments) {
  const NumberStyle numbers = arguments.precision.value_or(NumberStyle());
  switch (format) {
    case RankingFormat::kJson:
      return comparison_json(runs, basis, numbers);
    case RankingFormat::kCsv:
      return comparison_csv(runs, basis, numbers);
    case RankingFormat::kMarkdown:
      return comparison_markdown(runs, basis);
    case RankingFormat::kPage:
      break;
  }
  return write_comparison_page(runs, basis);
}

// `partial`: some are missing, so that files get the names of parts.
std::vector<OutputFile> write(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                              const RunOptions& arguments, bool partial) {
  std::vector<OutputText> outputs;
  for (const OutputRequest& output : arguments.outputs) {
    const std::string path = partial ? partial_output(output) : output.path;
    if (!path.empty()) outputs.push_back({path, text_of(runs, basis, ranking_format(output), arguments)});
  }
  std::vector<OutputFile> files = write_outputs(outputs);
  // The ranking is the result: without another place for it, it is printed even under --quiet.
  if (!arguments.quiet || arguments.outputs.empty()) {
    write_for_people(comparison_table(runs, basis).text(stdout_width()), outputs);
  }
  return files;
}

}  // namespace

int run_compare(const ParsedWords& words, Messages& messages) {
  const std::string *const by = words.find("--by"), *const wanted = words.find("--metric");
  const Statistic statistic = parse_statistic(by == nullptr ? "mean" : *by, "--by");
  const std::string metric = wanted == nullptr ? "" : *wanted;
  const Compared inputs = compared(several_options(words));
  const SeveralArguments& several = inputs.several;
  check(several);
  Loaded loaded = load(inputs, {metric, statistic}, messages);
  const auto rank_and_write = [&](bool partial) {
    const ComparisonBasis basis{ranked_metric(loaded.runs, metric, statistic), statistic};
    rank(loaded.runs, basis.metric, statistic);
    for (const std::string& remark : remarks_on(loaded.runs, basis)) messages.warn(remark);
    std::vector<OutputFile> files = write(loaded.runs, basis, several.arguments, partial);
    if (!several.arguments.quiet) tell_written(partial ? "kept" : "wrote", std::move(files), messages);
  };
  const int signal = interrupt_signal();
  if (signal == 0 && !loaded.error) {
    rank_and_write(false);
    return 0;
  }
  try {
    if (!loaded.runs.empty()) rank_and_write(true);
  } catch (const Error& error) {  // what came first is the error to tell
    messages.warn(std::string("what was scored is not ranked: ") + error.what());
  }
  if (signal == 0) std::rethrow_exception(loaded.error);
  messages.error("interrupted; " + std::to_string(loaded.runs.size()) + " of " +
                 std::to_string(several.paths.size()) + " are compared");
  return interrupt_exit_code(signal);
}

}  // namespace vq::cli
