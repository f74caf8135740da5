#include "cli/commands/compare_inputs.h"

#include <algorithm>

#include "cli/batch/score_several.h"
#include "cli/reports/compare_files.h"
#include "cli/system/process.h"
#include "core/error.h"
#include "core/text.h"
#include "engine/known_metrics.h"

namespace vq::cli {
namespace {

NamedReport saved_run(const std::string& path, const RunOptions& arguments) {
  ParsedReport read = read_report(path, interrupt_token());
  NamedReport run{
      .name = {}, .report = std::move(read.report), .style = read.style, .path = path, .saved = path};
  if (arguments.precision) run.style.numbers = *arguments.precision;
  if (arguments.worst) run.style.worst = *arguments.worst;
  check_threshold_metrics(arguments.thresholds, run.report.metrics);
  return run;
}

// "x265 slow=*slow*"
NamedGroup parse_group(const std::string& text) {
  const size_t at = text.find('=');
  if (at == text.npos || at == 0 || at + 1 == text.size()) {
    throw Error(ErrorKind::kUsage,
                words("--group: \"{}\" is not NAME=PATTERN. Try: --group 'slow=*slow*'", printable(text)));
  }
  return {text.substr(0, at), text.substr(at + 1)};
}

// "640x360,1280x720"
std::vector<PlaneSize> parse_ladder(const std::string& text) {
  constexpr long long kMostSide = 65535;
  std::vector<PlaneSize> sizes;
  for (size_t at = 0; at <= text.size();) {
    const std::string word = text.substr(at, text.find(',', at) - at);
    const size_t cross = word.find('x');
    long long width = 0, height = 0;
    const bool is_size = cross != word.npos && all_digits(word.substr(0, cross)) &&
                         all_digits(word.substr(cross + 1)) && parse_int(word.substr(0, cross), width) &&
                         parse_int(word.substr(cross + 1), height) && std::min(width, height) > 0 &&
                         std::max(width, height) <= kMostSide;
    if (!is_size) {
      throw Error(
          ErrorKind::kUsage,
          words("--ladder: \"{}\" is not a size. Try: --ladder 640x360,1280x720,1920x1080", printable(word)));
    }
    sizes.push_back({static_cast<int>(width), static_cast<int>(height)});
    at += word.size() + 1;
  }
  return sizes;
}

// "vmaf:95"; the metric becomes the one that ranks.
void set_target(const std::string& text, ComparisonRequest& request) {
  const size_t at = text.rfind(':');
  const std::string metric = at == text.npos ? "" : text.substr(0, at);
  double value = 0;
  if (!parse_real(at == text.npos ? text : text.substr(at + 1), value)) {
    throw Error(ErrorKind::kUsage,
                words("--target: \"{}\" is not METRIC:VALUE. Try: --target vmaf:95", printable(text)));
  }
  request.rates.target = value;
  if (metric.empty()) return;
  if (request.metrics.empty()) {
    request.metrics.push_back(metric);
  } else if (request.metrics.front() != metric) {
    throw Error(
        ErrorKind::kUsage,
        words(
            "--target {} and --metric {}: the target is of the metric that ranks. Name it first: --metric {}",
            printable(text), printable(request.metrics.front()), printable(metric)));
  }
}

NamedReport without_scores(const std::string& name, const std::vector<Metric>& metrics) {
  NamedReport run{.name = name, .report = {}};
  for (const Metric& metric : metrics)
    run.report.metrics.push_back({metric.name, {}, metric.info, metric.is_inner, metric.model});
  return run;
}

// All that were given: a video has no report, and a comparison stands for its runs.
std::vector<RecordedRun> runs_of(const SeveralArguments& several) {
  std::vector<RecordedRun> runs;
  for (const std::string& path : several.paths) {
    const bool is_json = is_json_report(path, several.arguments.raw.has_value());
    if (const auto recorded = is_json ? recorded_runs(path) : std::nullopt) {
      runs.insert(runs.end(), recorded->begin(), recorded->end());
    } else {
      runs.push_back({.name = {}, .path = path, .saved = is_json ? path : ""});
    }
  }
  return runs;
}

// Finds out before the videos are scored whether all will have the metrics.
MetricCheck metric_check(const std::vector<std::optional<NamedReport>>& saved,
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
    if (!runs.empty()) basis_of(runs, request);
  };
}

void check_no_scoring(const ComparedInputs& inputs) {
  const std::vector<GivenOption>& given = inputs.several.arguments.given;
  const auto scores = [](const GivenOption& option) { return option.role == FlagRole::kScoring; };
  const auto found = std::find_if(given.begin(), given.end(), scores);
  if (found == given.end() && inputs.reports.empty()) return;
  throw Error(ErrorKind::kUsage, words("{} has no effect on reports: it says how videos are scored.",
                                       found == given.end() ? "--reports" : found->name));
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
  const RunOptions& arguments = inputs.several.arguments;
  const ReportStyle style{.numbers = arguments.precision.value_or(NumberStyle()),
                          .worst = arguments.worst.value_or(ReportStyle().worst)};
  std::vector<std::string> paths;
  for (const size_t place : places) paths.push_back(inputs.several.paths[place]);
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
  const MetricCheck check = metric_check(runs, videos, request);
  if (videos.empty()) check({});
  SeveralReports scored =
      videos.empty() ? SeveralReports() : score_several(arguments, videos, messages, check);
  for (size_t k = 0; k < missing.size(); ++k) {
    const size_t i = missing[k];
    compared.refusals[places[i]] = scored.refusals[k];
    if (!scored.reports[k]) continue;
    reports[i] = std::move(scored.reports[k]);
    try {
      if (saved) saved->save(i, *reports[i]);
    } catch (const Error&) {
      if (!scored.error) scored.error = std::current_exception();
    }
    use(i);
  }
  compared.error = scored.error;
}

// They stand beside the others, if there are any, with the metrics of those.
void add_refused(const std::vector<std::optional<RefusedPair>>& refusals,
                 std::vector<std::optional<NamedReport>>& runs) {
  const auto scored = std::find_if(runs.begin(), runs.end(), [](const auto& run) { return run.has_value(); });
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

}  // namespace

ComparisonRequest comparison_request(const ParsedArguments& typed) {
  const std::string* const by = typed.find("--by");
  ComparisonRequest request{.statistic = parse_statistic("mean", "--by"), .metrics = {}};
  if (by != nullptr && *by == "size") {
    request.ranked_by = RankedBy::kSize;
  } else if (by != nullptr && *by == "bitrate") {
    request.ranked_by = RankedBy::kBitRate;
  } else if (by != nullptr) {
    request.statistic = parse_statistic(*by, "--by");
  }
  for (const GivenFlag& given : typed.flags) {
    if (given.flag->name == "--metric") request.metrics.push_back(given.text);
    if (given.flag->name == "--group") request.rates.groups.push_back(parse_group(given.text));
  }
  if (const std::string* const anchor = typed.find("--anchor")) request.rates.anchor = *anchor;
  if (const std::string* const sizes = typed.find("--ladder")) request.rates.ladder = parse_ladder(*sizes);
  if (const std::string* const target = typed.find("--target")) set_target(*target, request);
  if (request.rates.target && (request.statistic.is_share() || request.statistic.name == "stdev")) {
    throw Error(ErrorKind::kUsage,
                words("--target is a score, so it cannot be judged by --by {}. Try: --by p5", *by));
  }
  return request;
}

ComparisonBasis basis_of(const std::vector<NamedReport>& runs, const ComparisonRequest& request) {
  ComparisonBasis basis{common_metric(runs, request.metrics.empty() ? "" : request.metrics.front()),
                        request.statistic};
  basis.ranked_by = request.ranked_by;
  basis.rates = request.rates;
  if (basis.rates.target && metric_info(runs.front().report, basis.metric).better == Better::kNeither) {
    throw Error(
        ErrorKind::kUsage,
        words("--target: neither a high nor a low {} is known to be better, so nothing reaches a value.",
              printable(basis.metric)));
  }
  if (request.statistic.is_share() && !metric_info(runs.front().report, basis.metric).noteworthy) {
    throw Error(ErrorKind::kUsage,
                words("--by share: {} has no noteworthy level, so there is no share. Try: --by p5",
                      printable(basis.metric)));
  }
  if (request.ranked_by == RankedBy::kBitRate && are_pictures(runs)) {
    throw Error(ErrorKind::kUsage, "--by bitrate: single pictures have no bit rate. Try: --by size");
  }
  if (request.metrics.size() < 2) {
    basis.others = other_common_metrics(runs, basis.metric);
    basis.inner = other_common_metrics(runs, basis.metric, true);
    return basis;
  }
  for (size_t i = 1; i < request.metrics.size(); ++i)
    basis.others.push_back(common_metric(runs, request.metrics[i]));
  return basis;
}

ComparedInputs compared_inputs(const ParsedArguments& typed) {
  SeveralArguments several = several_options(typed);
  const std::vector<RecordedRun> runs = runs_of(several);
  std::vector<std::string> paths;
  for (const RecordedRun& run : runs) paths.push_back(run.path);
  const std::vector<std::string> names = short_names(paths);
  const bool both = several.arguments.film_grain == FilmGrainRequest::kBoth;
  ComparedInputs all;
  for (size_t i = 0; i < runs.size(); ++i) {
    const bool is_video = runs[i].saved.empty(), twice = both && is_video;
    const size_t count = twice ? 2 : 1;
    all.several.paths.insert(all.several.paths.end(), count, is_video ? runs[i].path : runs[i].saved);
    all.shown_paths.insert(all.shown_paths.end(), count, runs[i].path);
    // A comparison alone has told its runs apart already.
    const std::string& name = several.paths.size() == 1 && !is_video ? runs[i].name : names[i];
    all.names.push_back(twice ? name + " with grain" : name);
    if (twice) all.names.push_back(name + " without grain");
  }
  if (const std::string* const folder = typed.find("--reports")) all.reports = *folder;
  if (all.names.size() < 2) {
    throw Error(ErrorKind::kUsage,
                "compare needs at least two reports or videos. Try: cambi compare A B ...");
  }
  all.several.arguments = std::move(several.arguments);
  return all;
}

ComparedRuns load_runs(const ComparedInputs& inputs, const ComparisonRequest& request, Messages& messages) {
  const SeveralArguments& several = inputs.several;
  const RunOptions& arguments = several.arguments;
  std::vector<std::optional<NamedReport>> runs(several.paths.size());
  std::vector<size_t> places;                 // of videos
  for (size_t i = 0; i < runs.size(); ++i) {  // before the videos, which take long
    const std::string& path = several.paths[i];
    if (is_json_report(path, arguments.raw.has_value())) {
      runs[i] = saved_run(path, arguments);
    } else {
      places.push_back(i);
    }
  }
  if (places.empty()) check_no_scoring(inputs);
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

}  // namespace vq::cli
