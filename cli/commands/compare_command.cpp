#include "cli/batch/rerender_moments.h"
#include "cli/batch/score_several.h"
#include "cli/commands/arguments.h"
#include "cli/commands/flag_setters.h"
#include "cli/commands/flags.h"
#include "cli/inputs/remarks.h"
#include "cli/pages/page_writer.h"
#include "cli/reports/ci_formats.h"
#include "cli/reports/compare.h"
#include "cli/reports/compare_files.h"
#include "cli/reports/summary.h"
#include "cli/run/ending.h"
#include "cli/run/run.h"
#include "cli/system/output_file.h"
#include "cli/system/process.h"
#include "core/error.h"
#include "core/text.h"
#include "engine/known_metrics.h"
#include "engine/report/threshold.h"

namespace vq::cli {
namespace {

// The runs to compare: saved reports, and videos that are scored first.

// The options of a comparison.
struct ComparisonRequest {
  ComparisonBasis basis;  // but for the metrics
  // The first ranks, the others are shown beside it; empty: the first one that all runs have.
  std::vector<std::string> metrics = {};
};

// "x265 slow=*slow*"
NamedGroup parse_group(const std::string& text) {
  const size_t at = text.find('=');
  if (at == text.npos || at == 0 || at + 1 == text.size())
    throw usage_error("--group: \"{}\" is not NAME=PATTERN. Try: --group 'slow=*slow*'", printable(text));
  return {text.substr(0, at), text.substr(at + 1)};
}

// "640x360,1280x720"
std::vector<PlaneSize> parse_ladder(const std::string& text) {
  constexpr long long kMostSide = 65535;
  std::vector<PlaneSize> sizes;
  for (const std::string_view word : fields(text, ',')) {
    const std::vector<std::string_view> sides = fields(word, 'x');
    long long width = 0, height = 0;
    const bool is_size = sides.size() == 2 && std::ranges::all_of(sides, all_digits) &&
                         parse_int(sides[0], width) && parse_int(sides[1], height) &&
                         std::min(width, height) > 0 && std::max(width, height) <= kMostSide;
    if (!is_size) {
      throw usage_error("--ladder: \"{}\" is not a size. Try: --ladder 640x360,1280x720,1920x1080",
                        printable(word));
    }
    sizes.push_back({static_cast<int>(width), static_cast<int>(height)});
  }
  return sizes;
}

// The metric becomes the one that ranks.
void set_target(const std::string& text, ComparisonRequest& request) {
  const ScoreTarget target = score_target("--target", text);
  request.basis.rates.target = target.value;
  if (target.metric.empty()) return;
  if (request.metrics.empty()) {
    request.metrics.push_back(target.metric);
  } else if (request.metrics.front() != target.metric) {
    throw usage_error(
        "--target {} and --metric {}: the target is of the metric that ranks. Name it first: --metric {}",
        printable(text), printable(request.metrics.front()), printable(target.metric));
  }
}

ComparisonRequest comparison_request(const ParsedArguments& typed) {
  const std::string* const by = typed.find("--by");
  ComparisonRequest request{{.metric = {}, .statistic = parse_statistic("mean", "--by")}};
  RateRequest& rates = request.basis.rates;
  if (by != nullptr && *by == "size") {
    request.basis.ranked_by = RankedBy::kSize;
  } else if (by != nullptr && *by == "bitrate") {
    request.basis.ranked_by = RankedBy::kBitRate;
  } else if (by != nullptr) {
    request.basis.statistic = parse_statistic(*by, "--by");
  }
  for (const GivenFlag& given : typed.flags) {
    if (given.flag->name == "--metric" && !contains(request.metrics, given.text))
      request.metrics.push_back(given.text);
    if (given.flag->name == "--group") rates.groups.push_back(parse_group(given.text));
  }
  rates.anchor = typed.text("--anchor").value_or("");
  if (const std::string* const sizes = typed.find("--ladder")) rates.ladder = parse_ladder(*sizes);
  if (const std::string* const target = typed.find("--target")) set_target(*target, request);
  if (rates.target) refuse_target_statistic(request.basis.statistic);
  return request;
}

// The resolved request. Throws Error{kMismatch} if a run lacks a metric, Error{kUsage} if the metric does not
// have the statistic.
ComparisonBasis basis_of(const std::vector<NamedReport>& runs, const ComparisonRequest& request) {
  ComparisonBasis basis = request.basis;
  basis.metric = common_metric(runs, request.metrics.empty() ? "" : request.metrics.front());
  if (basis.rates.target && metric_info(runs.front().report, basis.metric).better == Better::kNeither) {
    throw usage_error(
        "--target: neither a high nor a low {} is known to be better, so nothing reaches a value.",
        printable(basis.metric));
  }
  if (basis.statistic.is_share() && !metric_info(runs.front().report, basis.metric).noteworthy) {
    throw usage_error("--by share: {} has no noteworthy level, so there is no share. Try: --by p5",
                      printable(basis.metric));
  }
  if (basis.ranked_by == RankedBy::kBitRate && are_pictures(runs))
    throw usage_error("--by bitrate: single pictures have no bit rate. Try: --by size");
  if (request.metrics.size() < 2) {
    basis.others = other_common_metrics(runs, basis.metric);
    basis.inner = other_common_metrics(runs, basis.metric, true);
    return basis;
  }
  for (size_t i = 1; i < request.metrics.size(); ++i)
    basis.others.push_back(common_metric(runs, request.metrics[i]));
  return basis;
}

// The paths to compare, and what the runs are called.
struct ComparedInputs {
  RunOptions arguments;
  std::vector<std::string> paths, names, shown_paths;
  std::string reports;  // the folder where the reports of videos are kept; empty: none
};

// All that were given: a video has no report, and a comparison stands for its runs.
std::vector<RecordedRun> runs_of(const std::vector<std::string>& paths, const RunOptions& arguments) {
  std::vector<RecordedRun> runs;
  for (const std::string& path : paths) {
    const bool is_json = is_json_report(path, arguments.raw.has_value());
    if (const auto recorded = is_json ? recorded_runs(path) : std::nullopt) {
      runs.insert(runs.end(), recorded->begin(), recorded->end());
    } else {
      runs.push_back({.name = {}, .path = path, .saved = is_json ? path : ""});
    }
  }
  return runs;
}

// Before what flags need is checked: a reference would have no effect either.
void check_no_scoring(const ParsedArguments& typed) {
  const std::vector<GivenOption> given = given_options(typed).given;
  const auto found = std::ranges::find(given, FlagRole::kScoring, &GivenOption::role);
  if (found == given.end() && !typed.has("--reports")) return;
  const bool may_be_raw = typed.has("--width");
  const auto is_report = [&](const std::string& path) { return is_json_report(path, may_be_raw); };
  if (typed.arguments.empty() || !std::ranges::all_of(typed.arguments, is_report)) return;
  throw usage_error("{} has no effect on reports: it says how videos are scored.",
                    found == given.end() ? "--reports" : found->name);
}

// Under --film-grain both every video is listed twice: with its grain and without. A comparison's own JSON
// stands for its runs. Throws Error{kUsage} for fewer than two runs, and as recorded_runs().
ComparedInputs compared_inputs(const ParsedArguments& typed) {
  check_no_scoring(typed);
  ComparedInputs all;
  all.arguments = several_options(typed);
  const std::vector<RecordedRun> runs = runs_of(typed.arguments, all.arguments);
  const std::vector<std::string> names = short_names(mapped(runs, &RecordedRun::path));
  const bool both = all.arguments.film_grain == FilmGrainRequest::kBoth;
  for (size_t i = 0; i < runs.size(); ++i) {
    const bool is_video = runs[i].saved.empty(), twice = both && is_video;
    const size_t count = twice ? 2 : 1;
    all.paths.insert(all.paths.end(), count, is_video ? runs[i].path : runs[i].saved);
    all.shown_paths.insert(all.shown_paths.end(), count, runs[i].path);
    // A comparison alone has told its runs apart already.
    const std::string& name = typed.arguments.size() == 1 && !is_video ? runs[i].name : names[i];
    all.names.push_back(twice ? name + " with grain" : name);
    if (twice) all.names.push_back(name + " without grain");
  }
  all.reports = typed_folder(typed, "--reports");
  if (all.names.size() < 2)
    throw usage_error("compare needs at least two reports or videos. Try: cambi compare A B ...");
  return all;
}

// The compared runs.
struct ComparedRuns {
  // In the order given. A video that does not fit its reference has a report without scores, beside others.
  std::vector<NamedReport> runs;
  std::exception_ptr error;                               // why others are missing
  std::vector<std::optional<RefusedPair>> refusals = {};  // of inputs that do not fit their reference
};

NamedReport saved_run(const std::string& path, const RunOptions& arguments) {
  ParsedReport read = read_report(path, interrupt_token());
  NamedReport run{
      .name = {}, .report = std::move(read.report), .style = read.style, .path = path, .saved = path};
  if (arguments.precision) run.style.numbers = *arguments.precision;
  if (arguments.worst) run.style.worst = *arguments.worst;
  check_threshold_metrics(arguments.thresholds, run.report.metrics);
  return run;
}

NamedReport without_scores(const std::string& name, const std::vector<Metric>& metrics) {
  NamedReport run{.name = name, .report = {}};
  for (const Metric& metric : metrics)
    run.report.metrics.push_back({metric.name, {}, metric.info, metric.is_inner, metric.model});
  return run;
}

// Finds out before the videos are scored whether all will have the metrics, and by what they are compared.
BasisOf expected_basis(const std::vector<std::optional<NamedReport>>& saved,
                       const std::vector<std::string>& videos, const ComparisonRequest& request) {
  return [&saved, &videos, request](const std::vector<std::vector<Metric>>& metrics) {
    std::vector<NamedReport> runs;
    for (const std::optional<NamedReport>& run : saved) {
      if (run) runs.push_back(without_scores(run->path, run->report.metrics));
    }
    for (size_t i = 0; i < videos.size(); ++i) {
      if (!metrics[i].empty())
        runs.push_back(without_scores(videos[i], metrics[i]));  // else known when it is scored
    }
    share_meanings(runs);
    return runs.empty() ? request.basis : basis_of(runs, request);
  };
}

// Which of the videos have a report that is up to date. Of one with and without grain both or none.
std::vector<std::optional<Report>> find_saved(const SavedReports& saved, size_t videos, bool in_pairs) {
  std::vector<std::optional<Report>> found;
  for (size_t i = 0; i < videos; ++i) found.push_back(saved.find(i));
  for (size_t i = 1; in_pairs && i < videos; i += 2) {
    if (found[i - 1] && found[i]) continue;
    found[i - 1].reset();
    found[i].reset();
  }
  return found;
}

// Finds or makes the reports of the videos at these places of the inputs. Notes the first error of a video
// that was not scored, or of a report that could not be saved, and which videos do not fit the reference.
void load_videos(const ComparedInputs& inputs, const std::vector<size_t>& places,
                 const ComparisonRequest& request, std::vector<std::optional<NamedReport>>& runs,
                 ComparedRuns& compared, Messages& messages) {
  const RunOptions& arguments = inputs.arguments;
  const ReportStyle style{.numbers = arguments.precision.value_or(NumberStyle()),
                          .worst = arguments.worst.value_or(ReportStyle().worst)};
  const std::vector<std::string> paths = mapped(places, [&](size_t place) { return inputs.paths[place]; });
  std::optional<SavedReports> saved;
  std::vector<std::optional<Report>> reports(paths.size());
  if (!inputs.reports.empty()) {
    saved.emplace(arguments, paths, inputs.reports);
    reports = find_saved(*saved, paths.size(), arguments.film_grain == FilmGrainRequest::kBoth);
  }
  const auto use = [&](size_t i) {
    runs[places[i]] = NamedReport{.name = {},
                                  .report = *std::move(reports[i]),
                                  .style = style,
                                  .path = paths[i],
                                  .saved = saved ? saved->path(i) : ""};
  };
  std::vector<size_t> missing;
  std::vector<std::string> videos;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (reports[i]) {
      check_threshold_metrics(arguments.thresholds, reports[i]->metrics);
      use(i);
    } else {
      missing.push_back(i);
      videos.push_back(paths[i]);
    }
  }
  if (saved && missing.size() < paths.size() && !arguments.quiet) {
    messages.note(words("up to date in {}: the reports of {} of {} videos", shown_path(inputs.reports),
                        paths.size() - missing.size(), paths.size()));
  }
  const BasisOf check = expected_basis(runs, videos, request);
  if (videos.empty()) check({});
  const auto names = mapped(missing, [&](size_t i) { return inputs.names[places[i]]; });
  SeveralReports scored;
  if (arguments.confidence) {
    scored = score_samples(arguments, videos, names, messages, check);
  } else if (!videos.empty()) {
    scored = score_several(arguments, videos, messages, check);
  }
  for (size_t k = 0; k < missing.size(); ++k) {
    const size_t i = missing[k];
    VideoReport& video = scored.videos[k];
    compared.refusals[places[i]] = video.refusal;
    if (!video.report) continue;
    reports[i] = std::move(video.report);
    try {
      if (saved) saved->save(i, *reports[i]);
    } catch (const Error&) {
      if (!scored.error) scored.error = std::current_exception();
    }
    use(i);
    runs[places[i]]->standing = video.standing;
  }
  compared.error = scored.error;
}

// They stand beside the others, if there are any, with the metrics of those.
void add_refused(const std::vector<std::optional<RefusedPair>>& refusals,
                 std::vector<std::optional<NamedReport>>& runs) {
  const auto scored = std::ranges::find_if(runs, [](const auto& run) { return run.has_value(); });
  if (scored == runs.end()) return;
  const std::vector<Metric> metrics = (*scored)->report.metrics;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!refusals[i]) continue;
    runs[i] = without_scores("", metrics);
    PairFault fault = refusals[i]->fault();
    fault.is_certain = true;
    runs[i]->report.run.pair_faults.push_back(std::move(fault));
  }
}

// Reads the reports, then scores the videos, after checking that all have what the request and the thresholds
// need. Throws Error for faults that are found before the first frame.
ComparedRuns load_runs(const ComparedInputs& inputs, const ComparisonRequest& request, Messages& messages) {
  const RunOptions& arguments = inputs.arguments;
  std::vector<std::optional<NamedReport>> runs(inputs.paths.size());
  std::vector<size_t> places;                 // of videos
  for (size_t i = 0; i < runs.size(); ++i) {  // before the videos, which take long
    const std::string& path = inputs.paths[i];
    if (is_json_report(path, arguments.raw.has_value())) {
      runs[i] = saved_run(path, arguments);
    } else {
      places.push_back(i);
    }
  }
  ComparedRuns compared;
  compared.refusals.resize(runs.size());
  load_videos(inputs, places, request, runs, compared, messages);
  add_refused(compared.refusals, runs);
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i]) continue;
    runs[i]->name = inputs.names[i];
    runs[i]->path = inputs.shown_paths[i];
    runs[i]->position = i;
    compared.runs.push_back(std::move(*runs[i]));
  }
  share_meanings(compared.runs);
  return compared;
}

// What is written of them.

constexpr size_t kMomentsForPeople = 3;

// A ranking is a page, JSON, CSV, or without a format Markdown.
void check_ranking_format(const OutputRequest& output) {
  constexpr std::array kFormats = {ReportFormat::kHtml, ReportFormat::kJson, ReportFormat::kCsv};
  if (output.format ? contains(kFormats, *output.format) : output.path.ends_with(".md")) return;
  throw usage_error(
      "compare writes a ranking as JSON, CSV or Markdown: use -o FILE.json, FILE.csv or FILE.md, or for "
      "standard output --json or --csv.");
}

// A flag that would change nothing was meant to.
void refuse_idle_flags(const RunOptions& arguments) {
  bool shows_moments = !arguments.quiet || arguments.outputs.empty(), has_page = false;
  for (const OutputRequest& output : arguments.outputs) {
    check_ranking_format(output);
    has_page = has_page || output.format == ReportFormat::kHtml;
    shows_moments = shows_moments || has_page || output.format == ReportFormat::kJson;
  }
  const auto refuse = [](const std::string& flag, const std::string& why) {
    throw usage_error("{} has no effect on this comparison{}", flag, why);
  };
  if (arguments.extended && !arguments.confidence)
    refuse("--extended", "; a page always holds extended reports.");
  if (arguments.worst && !shows_moments) refuse("--worst", " under --quiet without a page or JSON.");
  if (arguments.heatmaps.page_quality && !has_page) refuse("--page-pictures", " without a page.");
  if (arguments.precision && arguments.outputs.empty()) refuse("--precision", " without an output.");
}

// A sample tells which encodes are worse, and no more.
void check_sampled(const ParsedArguments& typed, const ComparedInputs& inputs,
                   const ComparisonRequest& request) {
  const RunOptions& arguments = inputs.arguments;
  if (!arguments.confidence) return;
  const auto refuse = [](const std::string& what) { throw usage_error(what); };
  for (const char* const flag : {"--reports", "--target", "--anchor", "--group", "--ladder"}) {
    if (typed.has(flag)) refuse(words("{} takes all frames, which --confidence does not score.", flag));
  }
  if (!arguments.reference) refuse("--confidence compares encodes of one reference. Add -r FILE");
  if (!arguments.thresholds.empty())
    refuse("--confidence ranks encodes here. To judge each by itself: cambi batch A B --confidence 99");
  if (request.basis.ranked_by != RankedBy::kStatistic)
    refuse("--confidence has no effect on a ranking by size.");
  if (arguments.film_grain == FilmGrainRequest::kBoth) refuse("--film-grain both is not for --confidence.");
  for (const OutputRequest& output : arguments.outputs) {
    if (output.format == ReportFormat::kHtml)
      refuse("A page takes all frames, which --confidence does not score.");
  }
  for (const std::string& path : inputs.paths) {
    if (is_json_report(path, arguments.raw.has_value()))
      refuse(words("--confidence compares videos, and {} is a report.", shown_path(path)));
  }
}

void check_compared(const ComparedInputs& inputs) {
  const RunOptions& arguments = inputs.arguments;
  refuse_feature_files(arguments, "compare");
  refuse_idle_flags(arguments);
  std::vector<std::string> read = inputs.paths;
  if (arguments.reference) read.push_back(*arguments.reference);
  check_standard_input(read);
  check_outputs(output_places(arguments), read);
}

std::string comparison_text(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                            std::optional<ReportFormat> format, const RunOptions& arguments) {
  const NumberStyle numbers = arguments.precision.value_or(NumberStyle());
  if (format == ReportFormat::kHtml)
    return write_comparison_page(runs, basis, pictures_of(runs, basis, arguments));
  if (format == ReportFormat::kJson)
    return comparison_json(runs, basis, {numbers, arguments.worst.value_or(kDefaultPagePictures)});
  return format ? comparison_csv(runs, basis, numbers) : comparison_markdown(runs, basis);
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
  return words("{}\n{} differs most{} at\n{}", text, printable(title_of(ranked)),
               has_samples(runs) ? ", of what was scored," : "", moments_table(runs, differing).text(width));
}

class Comparison {
 public:
  Comparison(const ComparedInputs& inputs, const ComparisonRequest& request, Messages& messages,
             Ending& ending)
      : inputs_(inputs),
        arguments_(inputs.arguments),
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
    messages_.error(words("interrupted; {} of {} are compared", compared_.runs.size(), inputs_.paths.size()));
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
    return {path, comparison_text(compared_.runs, basis, output.format, arguments_)};
  }

  // The failed output is the error to report, so failures here are ignored.
  void write_partial(const OutputRequest& output, const ComparisonBasis& basis) {
    const std::string path = partial_output(output);
    if (path.empty()) return;
    try {
      std::vector<OutputFile> files = write_outputs({ranking(output, path, basis)});
      if (arguments_.quiet) return;
      for (const std::string& line : written_lines("kept", pointers_to(files))) messages_.note(line);
    } catch (const Error& error) {
      messages_.warn(words("the ranking is not kept: {}", error.what()));
    }
  }

  // One for each run, also for those that were not scored.
  std::vector<JunitSuite> suites() const {
    const std::vector<std::string> expressions = ending_options(arguments_).expressions;
    std::vector<JunitSuite> suites;
    for (size_t i = 0; i < inputs_.names.size(); ++i) {
      const std::vector<std::string>& paths = inputs_.paths;
      const bool twice = std::ranges::count(paths, paths[i]) > 1;
      const std::string& path = twice ? inputs_.names[i] : paths[i];
      if (const std::optional<RefusedPair>& refusal = compared_.refusals[i]) {
        suites.push_back(unfit_suite(path, refusal->what(), expressions));
        continue;
      }
      const auto found = std::ranges::find(compared_.runs, inputs_.names[i], &NamedReport::name);
      if (found == compared_.runs.end()) {
        suites.push_back(failed_suite(path, "not scored", expressions));
        continue;
      }
      RunOutcome outcome = found->report.run;
      outcome.thresholds = found->thresholds;
      suites.push_back(scored_suite(path, outcome));
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
  Ending ending(messages, ending_options(inputs.arguments, inputs.paths));
  return ending.run([&] {
    check_compared(inputs);
    check_sampled(typed, inputs, request);
    SandboxPaths places{.read = inputs.paths};
    if (!inputs.reports.empty()) places.folders.push_back(inputs.reports);
    enter_sandbox_of(inputs.arguments, std::move(places), messages);
    return Comparison(inputs, request, messages, ending).finish();
  });
}

}  // namespace vq::cli
