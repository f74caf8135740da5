#include "cli/commands/subcommand.h"

#include <algorithm>
#include <future>
#include <mutex>
#include <set>

#include "cli/batch/rerender_moments.h"
#include "cli/batch/score_several.h"
#include "cli/commands/arguments.h"
#include "cli/commands/compare_inputs.h"
#include "cli/inputs/run_inputs.h"
#include "cli/pages/page_writer.h"
#include "cli/reports/ci_formats.h"
#include "cli/reports/compare.h"
#include "cli/reports/compare_files.h"
#include "cli/reports/summary.h"
#include "cli/run/run.h"
#include "cli/run/run_outputs.h"
#include "cli/system/output_file.h"
#include "cli/system/process.h"
#include "cli/system/progress.h"
#include "core/error.h"
#include "core/text.h"
#include "core/worker_pool.h"
#include "engine/known_metrics.h"
#include "engine/report/threshold.h"

namespace vq::cli {
namespace {

constexpr size_t kMomentsForPeople = 3;
constexpr size_t kFewRuns = 3;       // of which pictures may be large
constexpr size_t kVideosAtOnce = 8;  // from which pictures are taken

enum class RankingFormat { kJson, kCsv, kMarkdown, kPage };

// How an output is written. Throws Error{kUsage} for what a ranking cannot be.
RankingFormat ranking_format(const OutputRequest& output) {
  if (output.format == ReportFormat::kHtml) return RankingFormat::kPage;
  if (output.format == ReportFormat::kJson) return RankingFormat::kJson;
  if (output.format == ReportFormat::kCsv) return RankingFormat::kCsv;
  if (!output.format && output.path.ends_with(".md")) return RankingFormat::kMarkdown;
  throw Error(
      ErrorKind::kUsage,
      "compare writes a ranking as JSON, CSV or Markdown: use -o FILE.json, FILE.csv or FILE.md, or for "
      "standard output --json or --csv.");
}

// A flag that would change nothing was meant to.
void refuse_idle_flags(const RunOptions& arguments) {
  bool shows_moments = !arguments.quiet || arguments.outputs.empty(), has_page = false;
  for (const OutputRequest& output : arguments.outputs) {
    const RankingFormat format = ranking_format(output);
    has_page = has_page || format == RankingFormat::kPage;
    shows_moments = shows_moments || has_page || format == RankingFormat::kJson;
  }
  const auto refuse = [](const std::string& flag, const std::string& why) {
    throw Error(ErrorKind::kUsage, words("{} has no effect on this comparison{}", flag, why));
  };
  if (arguments.extended) refuse("--extended", "; a page always holds extended reports.");
  if (arguments.worst && !shows_moments) refuse("--worst", " under --quiet without a page or JSON.");
  if (arguments.heatmaps.page_quality && !has_page) refuse("--page-pictures", " without a page.");
  if (arguments.precision && arguments.outputs.empty()) refuse("--precision", " without an output.");
}

void check_compared(const SeveralArguments& several) {
  const RunOptions& arguments = several.arguments;
  RunOptions of_one = arguments;
  of_one.thresholds.clear();  // those are judged here
  of_one.baseline.reset();
  refuse_run_flags(of_one, "compare", true);
  refuse_idle_flags(arguments);
  std::vector<std::string> inputs = several.paths;
  if (arguments.reference) inputs.push_back(*arguments.reference);
  if (std::count_if(inputs.begin(), inputs.end(), is_standard_input) > 1) {
    throw Error(ErrorKind::kUsage, "standard input is named more than once; it can be read only once.");
  }
  check_outputs(output_places(arguments), inputs);
}

size_t moments_of(const RunOptions& arguments) {
  return arguments.worst.value_or(kDefaultPagePictures);
}

bool has_scores(const NamedReport& run) {
  return !run.report.frames.empty();
}

// The frames of the moments that the page lists, of every run whose video is still there.
ComparisonPictures pictures_of(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                               const RunOptions& arguments) {
  ComparisonPictures pictures{.moments = moments_of(arguments)};
  const PageQuality quality = arguments.heatmaps.page_quality.value_or(PageQuality::kSmall);
  const PlaneSize small = runs.size() <= kFewRuns ? PlaneSize{1280, 720} : PlaneSize{960, 540};
  LookRequest request{.metric = basis.metric,
                      .moments = differing_moments(runs, basis.metric, pictures.moments),
                      .limit = quality == PageQuality::kLossless ? kSnapshotLimit : small,
                      .threads = thread_count(arguments),
                      .stop = interrupt_token(),
                      .quality = quality};
  const std::vector<SharedMoment> worst = worst_moments_of_first(runs, basis.metric, pictures.moments);
  request.moments.insert(request.moments.end(), worst.begin(), worst.end());
  if (request.moments.empty()) return pictures;
  std::set<int64_t> frames;
  for (const SharedMoment& moment : request.moments) frames.insert(moment.frame);
  const auto scored = std::count_if(runs.begin(), runs.end(), has_scores);
  size_t made = 0, all = static_cast<size_t>(scored) * frames.size();
  StepProgress progress(progress_settings(arguments, std::nullopt),
                        {seconds_now, write_stderr, terminal_width});
  progress.step("picture", 0, all);
  SharedReference source = look_at_reference(runs, request);
  request.reference = std::move(source.stills);
  all += request.reference.size();
  pictures.source = std::move(source.name);
  if (!source.remark.empty()) pictures.remarks.push_back(std::move(source.remark));
  std::mutex mutex;
  request.made = [&] {
    const std::lock_guard lock(mutex);
    if (++made < all) progress.step("picture", made, all);
  };
  std::vector<LookedAgain> seen(runs.size());
  std::vector<std::future<void>> tasks;
  {
    WorkerPool pool(static_cast<int>(
        std::min({static_cast<size_t>(request.threads), kVideosAtOnce, static_cast<size_t>(scored)})));
    request.threads = std::max(1, request.threads / pool.size());
    tasks.push_back(pool.submit(
        std::packaged_task<void()>([&] { pictures.of_source = pictures_of_reference(request); })));
    for (size_t i = 0; i < runs.size(); ++i) {
      if (has_scores(runs[i]))
        tasks.push_back(pool.submit(
            std::packaged_task<void()>([&, i] { seen[i] = rerender_moments(runs[i], request); })));
    }
  }
  for (std::future<void>& task : tasks) task.get();
  progress.step("picture", all, all);
  for (LookedAgain& one : seen) {
    pictures.of_runs.push_back(std::move(one.pictures));
    if (!one.remark.empty()) pictures.remarks.push_back(std::move(one.remark));
  }
  return pictures;
}

std::string text_of(const std::vector<NamedReport>& runs, const ComparisonBasis& basis, RankingFormat format,
                    const RunOptions& arguments) {
  const NumberStyle numbers = arguments.precision.value_or(NumberStyle());
  switch (format) {
    case RankingFormat::kJson:
      return comparison_json(runs, basis, {numbers, moments_of(arguments)});
    case RankingFormat::kCsv:
      return comparison_csv(runs, basis, numbers);
    case RankingFormat::kMarkdown:
      return comparison_markdown(runs, basis);
    case RankingFormat::kPage:
      break;
  }
  return write_comparison_page(runs, basis, pictures_of(runs, basis, arguments));
}

// The ranking, who is worth its bits, and where the runs differ most.
std::string text_for_people(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                            size_t moments) {
  const size_t width = stdout_width();
  const Metric& ranked = *find_metric(runs.front().report, basis.metric);
  std::string text = comparison_table(runs, basis).text(width);
  if (const std::string purpose = purpose_of(ranked); !purpose.empty()) text += purpose + "\n";
  text += rates_text(runs, basis, width);
  const std::vector<SharedMoment> differing = differing_moments(runs, basis.metric, moments);
  if (differing.empty()) return text;
  return words("{}\n{} differs most at\n{}", text, printable(title_of(ranked)),
               moments_table(runs, differing).text(width));
}

class Comparison {
 public:
  Comparison(const ComparedInputs& inputs, const ComparisonRequest& request, Messages& messages)
      : inputs_(inputs),
        several_(inputs.several),
        request_(request),
        messages_(messages),
        baseline_(several_.arguments.baseline
                      ? std::optional(read_baseline(*several_.arguments.baseline, interrupt_token()))
                      : std::nullopt),
        compared_(load_runs(inputs, request, messages)) {}

  // Whether the files are written, that for continuous integration with them.
  bool has_told() const { return has_reported_; }

  int finish() {
    const int signal = interrupt_signal();
    if (signal == 0 && !compared_.error) {
      compared_.runs.empty() ? write_junit() : rank_and_write(false);
      const int code = tell_judged();
      return tell_refusals() ? exit_code(ErrorKind::kMismatch) : code;
    }
    try {
      if (!compared_.runs.empty()) rank_and_write(true);
    } catch (const Error& error) {  // what came first is the error to tell
      messages_.warn(words("what was scored is not ranked: {}", error.what()));
    }
    if (signal == 0) {
      tell_refusals();
      std::rethrow_exception(compared_.error);
    }
    messages_.error(
        words("interrupted; {} of {} are compared", compared_.runs.size(), several_.paths.size()));
    return interrupt_exit_code(signal);
  }

 private:
  // Which videos do not fit their reference; whether there are any.
  bool tell_refusals() {
    bool any = false;
    for (const std::optional<RefusedPair>& refusal : compared_.refusals) {
      if (refusal) messages_.error(refusal->what());
      any = any || refusal;
    }
    return any;
  }

  void rank_and_write(bool partial) {
    std::vector<NamedReport>& runs = compared_.runs;
    const ComparisonBasis basis = basis_of(runs, request_);
    rank(runs, basis);
    for (NamedReport& run : runs) judge_one(run);
    for (const std::string& remark : remarks_on(runs, basis)) messages_.warn(remark);
    std::vector<OutputFile> files = write(partial, basis);
    if (!several_.arguments.quiet) tell_written(partial ? "kept" : "wrote", std::move(files), messages_);
    add_step_summary(several_.arguments, words("## Comparison\n\n{}", comparison_markdown(runs, basis)),
                     messages_);
  }

  void judge_one(NamedReport& run) {
    if (compared_.refusals[run.position]) return;
    const std::vector<Threshold>& thresholds = several_.arguments.thresholds;
    if (baseline_) {
      check_baseline(thresholds, run.report.metrics, run.report.run.models, *baseline_);
      for (const std::string& remark : remarks_on_baseline(*baseline_, run.report)) {
        messages_.warn(words("{}: {}", shown_path(run.name), remark));
      }
    }
    run.thresholds = judge(thresholds, run.report, baseline_ ? &*baseline_ : nullptr);
  }

  void write_junit() {
    if (several_.arguments.junit) write_outputs({{*several_.arguments.junit, junit_text()}});
    has_reported_ = true;
  }

  // `partial`: some are missing, so that files get the names of parts.
  std::vector<OutputFile> write(bool partial, const ComparisonBasis& basis) {
    const RunOptions& arguments = several_.arguments;
    std::vector<OutputText> outputs;
    for (const OutputRequest& output : arguments.outputs) {
      const std::string path = partial ? partial_output(output) : output.path;
      if (!path.empty())
        outputs.push_back({path, text_of(compared_.runs, basis, ranking_format(output), arguments)});
    }
    if (arguments.junit) outputs.push_back({*arguments.junit, junit_text()});
    std::vector<OutputFile> files = partial ? write_outputs(outputs) : write_or_keep(outputs, basis);
    has_reported_ = true;
    // The ranking is the result: without another place for it, it is printed even under --quiet.
    if (!arguments.quiet || arguments.outputs.empty()) {
      const std::string text =
          text_for_people(compared_.runs, basis, arguments.worst.value_or(kMomentsForPeople));
      arguments.thresholds.empty() ? write_for_people(text, outputs) : show_beside_result(text, outputs);
    }
    return files;
  }

  // If one of the files cannot be written, the others are kept under the names of parts, each by itself.
  std::vector<OutputFile> write_or_keep(const std::vector<OutputText>& outputs,
                                        const ComparisonBasis& basis) {
    try {
      return write_outputs(outputs);
    } catch (const Error&) {
      for (const OutputRequest& output : several_.arguments.outputs) keep(output, basis);
      throw;
    }
  }

  // The failed output is the error to report, so failures here are ignored.
  void keep(const OutputRequest& output, const ComparisonBasis& basis) {
    const std::string path = partial_output(output);
    if (path.empty()) return;
    try {
      std::vector<OutputFile> files =
          write_outputs({{path, text_of(compared_.runs, basis, ranking_format(output), several_.arguments)}});
      if (!several_.arguments.quiet) tell_written("kept", std::move(files), messages_);
    } catch (const Error& error) {
      messages_.warn(words("the ranking is not kept: {}", error.what()));
    }
  }

  // A suite for each run, also for those that were not scored.
  std::string junit_text() const {
    std::vector<std::string> expressions;
    for (const Threshold& threshold : several_.arguments.thresholds) expressions.push_back(threshold.text);
    std::vector<JunitSuite> suites;
    for (size_t i = 0; i < inputs_.names.size(); ++i) {
      const std::vector<std::string>& paths = several_.paths;
      const bool twice = std::count(paths.begin(), paths.end(), paths[i]) > 1;
      const std::string& path = twice ? inputs_.names[i] : paths[i];
      if (const std::optional<RefusedPair>& refusal = compared_.refusals[i]) {
        suites.push_back(unfit_suite(path, refusal->what(), expressions));
        continue;
      }
      const auto found = std::find_if(compared_.runs.begin(), compared_.runs.end(),
                                      [&](const NamedReport& run) { return run.name == inputs_.names[i]; });
      if (found == compared_.runs.end()) {
        suites.push_back(failed_suite(path, "not scored", expressions));
        continue;
      }
      Report report;  // the little of it that the suite tells
      report.run.wall_seconds = found->report.run.wall_seconds;
      report.run.thresholds = found->thresholds;
      report.run.warnings = found->report.run.warnings;
      report.run.pair_faults = found->report.run.pair_faults;
      suites.push_back(scored_suite(path, report));
    }
    return junit_xml(suites);
  }

  // Prints the thresholds that each run crossed or could not be judged by, the best run first. Returns the
  // exit code.
  int tell_judged() {
    int code = 0;
    for (const NamedReport& run : compared_.runs) {
      const int own = tell_thresholds(run.path, run.thresholds, messages_);
      if (own != 0 && code != exit_code(ErrorKind::kMismatch)) code = own;
    }
    return code;
  }

  const ComparedInputs& inputs_;
  const SeveralArguments& several_;
  const ComparisonRequest& request_;
  Messages& messages_;
  const std::optional<Baseline> baseline_;
  ComparedRuns compared_;
  bool has_reported_ = false;
};

}  // namespace

int run_compare(const ParsedArguments& typed, Messages& messages) {
  const ComparisonRequest request = comparison_request(typed);
  ComparedInputs inputs = compared_inputs(typed);
  std::optional<Comparison> comparison;
  try {
    check_compared(inputs.several);
    SandboxPaths places{.read = inputs.several.paths};
    if (!inputs.reports.empty()) places.folders.push_back(inputs.reports);
    enter_sandbox_of(inputs.several.arguments, std::move(places), messages);
    comparison.emplace(inputs, request, messages);
    return comparison->finish();
  } catch (const std::exception&) {
    if (!comparison || !comparison->has_told()) {
      report_exception_to_ci(failed_work(inputs.several.arguments, inputs.several.paths), messages);
    }
    throw;
  }
}

}  // namespace vq::cli
