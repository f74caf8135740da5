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
#include "cli/run/ending.h"
#include "cli/run/run.h"
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
  refuse_feature_files(arguments, "compare");
  refuse_idle_flags(arguments);
  std::vector<std::string> inputs = several.paths;
  if (arguments.reference) inputs.push_back(*arguments.reference);
  check_standard_input(inputs);
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
  StepProgress progress(progress_settings(arguments, std::nullopt));
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
  Comparison(const ComparedInputs& inputs, const ComparisonRequest& request, Messages& messages,
             Ending& ending)
      : inputs_(inputs),
        arguments_(inputs.several.arguments),
        request_(request),
        messages_(messages),
        ending_(ending),
        baseline_(baseline_of(arguments_)),
        compared_(load_runs(inputs, request, messages)) {}

  int finish() {
    const int signal = interrupt_signal();
    if (signal == 0 && !compared_.error) {
      compared_.runs.empty() ? ending_.write({}, suites()) : rank_and_write(false);
      for (const NamedReport& run : compared_.runs) ending_.judged(run.path, run.thresholds);
      print_refusals();
      return ending_.code();
    }
    try {
      if (!compared_.runs.empty()) rank_and_write(true);
    } catch (const Error& error) {  // what came first is the error to tell
      messages_.warn(words("what was scored is not ranked: {}", error.what()));
    }
    if (signal == 0) {
      print_refusals();
      std::rethrow_exception(compared_.error);
    }
    messages_.error(
        words("interrupted; {} of {} are compared", compared_.runs.size(), inputs_.several.paths.size()));
    return interrupt_exit_code(signal);
  }

 private:
  // Which videos do not fit their reference.
  void print_refusals() {
    for (const std::optional<RefusedPair>& refusal : compared_.refusals) {
      if (!refusal) continue;
      messages_.error(refusal->what());
      ending_.count_refused();
    }
  }

  void rank_and_write(bool partial) {
    std::vector<NamedReport>& runs = compared_.runs;
    const ComparisonBasis basis = basis_of(runs, request_);
    rank(runs, basis);
    for (NamedReport& run : runs) judge_one(run);
    for (const std::string& remark : remarks_on(runs, basis)) messages_.warn(remark);
    write(partial, basis);
    // The ranking is the result: without another place for it, it is printed even under --quiet.
    std::string text;
    if (!arguments_.quiet || arguments_.outputs.empty())
      text = text_for_people(runs, basis, arguments_.worst.value_or(kMomentsForPeople));
    ending_.show(text, arguments_.thresholds.empty() ? Ending::Text::kResult : Ending::Text::kBesideResult);
    ending_.add_to_step(words("## Comparison\n\n{}", comparison_markdown(runs, basis)));
  }

  // A saved report keeps the thresholds that it came with.
  void judge_one(NamedReport& run) {
    if (compared_.refusals[run.position]) return;
    const Baseline* const baseline = baseline_ ? &*baseline_ : nullptr;
    run.thresholds = judge(arguments_.thresholds, run.report, baseline);
    if (baseline == nullptr) return;
    for (const std::string& remark : remarks_on_baseline(*baseline, run.report))
      messages_.warn(words("{}: {}", shown_path(run.name), remark));
  }

  // `partial`: some are missing, so that files get the names of parts. If one of the files cannot be written,
  // the others are kept under such names, each by itself.
  void write(bool partial, const ComparisonBasis& basis) {
    std::vector<OutputText> outputs;
    for (const OutputRequest& output : arguments_.outputs) {
      const std::string path = partial ? partial_output(output) : output.path;
      if (!path.empty()) outputs.push_back(ranking(output, path, basis));
    }
    try {
      ending_.write(std::move(outputs), suites(), partial ? "kept" : "wrote");
    } catch (const Error&) {
      for (const OutputRequest& output : arguments_.outputs) {
        if (!partial) write_partial(output, basis);
      }
      throw;
    }
  }

  OutputText ranking(const OutputRequest& output, const std::string& path,
                     const ComparisonBasis& basis) const {
    return {path, text_of(compared_.runs, basis, ranking_format(output), arguments_)};
  }

  // The failed output is the error to report, so failures here are ignored.
  void write_partial(const OutputRequest& output, const ComparisonBasis& basis) {
    const std::string path = partial_output(output);
    if (path.empty()) return;
    try {
      std::vector<OutputFile> files = write_outputs({ranking(output, path, basis)});
      if (!arguments_.quiet) tell_written("kept", std::move(files), messages_);
    } catch (const Error& error) {
      messages_.warn(words("the ranking is not kept: {}", error.what()));
    }
  }

  // One for each run, also for those that were not scored.
  std::vector<JunitSuite> suites() const {
    const std::vector<std::string> expressions = ending_options(arguments_).expressions;
    std::vector<JunitSuite> suites;
    for (size_t i = 0; i < inputs_.names.size(); ++i) {
      const std::vector<std::string>& paths = inputs_.several.paths;
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
      Report report;
      report.run = found->report.run;
      report.run.thresholds = found->thresholds;
      suites.push_back(scored_suite(path, report));
    }
    return suites;
  }

  const ComparedInputs& inputs_;
  const RunOptions& arguments_;
  const ComparisonRequest& request_;
  Messages& messages_;
  Ending& ending_;
  const std::optional<Baseline> baseline_;
  ComparedRuns compared_;
};

}  // namespace

int run_compare(const ParsedArguments& typed, Messages& messages) {
  const ComparisonRequest request = comparison_request(typed);
  ComparedInputs inputs = compared_inputs(typed);
  RunOptions& arguments = inputs.several.arguments;
  Ending ending(messages, ending_options(arguments, inputs.several.paths));
  return ending.run([&] {
    check_compared(inputs.several);
    SandboxPaths places{.read = inputs.several.paths};
    if (!inputs.reports.empty()) places.folders.push_back(inputs.reports);
    enter_sandbox_of(arguments, std::move(places), messages);
    return Comparison(inputs, request, messages, ending).finish();
  });
}

}  // namespace vq::cli
