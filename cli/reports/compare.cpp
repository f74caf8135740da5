#include "cli/reports/compare.h"

#include <cmath>
#include <compare>
#include <map>
#include <set>

#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "engine/known_metrics.h"
#include "engine/report/scenes.h"
#include "engine/report/statistic.h"

namespace vq::cli {
namespace {

// Where the extension of the last part of a path begins; its size if there is none. A name that is all
// extension has none.
size_t extension_at(const std::string& name) {
  const size_t dot = name.rfind('.');
  const size_t start = name.find_last_of('/') + 1;
  return dot == name.npos || dot <= start || dot + 1 == name.size() ? name.size() : dot;
}

// Without the extension that all have, which leaves apart what was; nothing if there is none.
std::optional<std::vector<std::string>> without_common_extension(const std::vector<std::string>& names) {
  const std::string extension = names.front().substr(extension_at(names.front()));
  if (extension.empty()) return std::nullopt;
  std::vector<std::string> cut;
  for (const std::string& name : names) {
    const size_t at = extension_at(name);
    if (name.substr(at) != extension) return std::nullopt;
    cut.push_back(name.substr(0, at));
  }
  return cut;
}

// Ascending from the best.
struct RankKey {
  bool is_absent = false;  // without scores
  bool is_apart = false;   // not comparable
  bool is_unknown = false;
  double value = 0;
  // Where that is infinite, how many of the scores are not, and what their mean is.
  double finite_share = 0, finite_mean = 0;
  auto operator<=>(const RankKey&) const = default;
};

RankKey rank_key(const NamedReport& run, const ComparisonBasis& basis, bool highest_first) {
  const Metric& metric = *find_metric(run.report, basis.metric);
  if (run.standing) return {.is_unknown = true, .value = static_cast<double>(run.standing->place)};
  const double value = ranking_value(run, basis), sign = highest_first ? -1 : 1;
  const bool is_apart = !is_comparable(run, basis.metric);
  if (std::isnan(value))
    return {.is_absent = metric.values.empty(), .is_apart = is_apart, .is_unknown = true};
  RankKey key{.is_apart = is_apart, .value = sign * value};
  if (std::isfinite(value)) return key;
  double sum = 0, count = 0;
  for (const double score : metric.values) {
    if (!std::isfinite(score)) continue;
    sum += score;
    ++count;
  }
  key.finite_share = count / static_cast<double>(metric.values.size());
  if (count > 0) key.finite_mean = sign * sum / count;
  return key;
}

// Scores of two models may have one name.
void check_one_model(const std::vector<NamedReport>& runs, const std::string& metric) {
  const ModelFacts* first = nullptr;
  const NamedReport* first_run = nullptr;
  for (const NamedReport& run : runs) {
    for (const ModelFacts& model : run.report.run.models) {
      if (model.name != metric) continue;
      if (first == nullptr) {
        first = &model;
        first_run = &run;
      } else if (first->source != model.source) {
        throw Error(ErrorKind::kMismatch,
                    "{} of {} is a score of {}, that of {} of {}. Score all with one model, or compare "
                    "another --metric.",
                    printable(metric), shown_path(first_run->name), printable(first->source),
                    shown_path(run.name), printable(model.source));
      }
    }
  }
}

constexpr int kDecimals = 3;
constexpr size_t kLeastScoreName = 20;  // columns of a score and a run's name

// The scores of each run; null if they are not comparable.
using RunScores = std::vector<const Metric*>;

RunScores comparable_scores(const std::vector<NamedReport>& runs, const std::string& metric) {
  return mapped(runs, [&](const NamedReport& run) {
    return is_comparable(run, metric) ? find_metric(run.report, metric) : nullptr;
  });
}

SharedMoment moment_at(const std::vector<NamedReport>& runs, const RunScores& scores, int64_t frame) {
  SharedMoment moment{.frame = frame, .timestamp = {}, .scores = {}};
  std::optional<double> low, high;
  for (size_t i = 0; i < runs.size(); ++i) {
    const std::vector<int64_t>& frames = runs[i].report.frames;
    const auto found = std::ranges::lower_bound(frames, frame);
    std::optional<double>& score = moment.scores.emplace_back();
    if (scores[i] == nullptr || found == frames.end() || *found != frame) continue;
    const auto position = static_cast<size_t>(found - frames.begin());
    if (!moment.timestamp) moment.timestamp = timestamp_at(runs[i].report, position);
    const double value = scores[i]->values[position];
    if (!std::isfinite(value)) continue;
    score = value;
    low = std::min(low.value_or(value), value);
    high = std::max(high.value_or(value), value);
  }
  moment.spread = low ? *high - *low : 0;
  return moment;
}

}  // namespace

std::vector<std::string> short_names(const std::vector<std::string>& paths) {
  if (paths.empty()) return {};
  size_t common = paths.front().find_last_of('/') + 1;
  for (const std::string& path : paths) {
    const size_t end = std::min(common, path.size());
    const auto differs =
        std::mismatch(path.begin(), path.begin() + static_cast<ptrdiff_t>(end), paths.front().begin());
    const auto equal = static_cast<size_t>(differs.first - path.begin());
    common = equal == 0 ? 0 : path.find_last_of('/', equal - 1) + 1;
  }
  if (common == 1) common = 0;  // the root; without it the rest would look like relative paths
  auto names = mapped(paths, [&](const std::string& path) { return path.substr(common); });
  while (auto shorter = without_common_extension(names)) names = *std::move(shorter);
  return names;
}

void share_meanings(std::vector<NamedReport>& runs) {
  std::map<std::string_view, const MetricInfo*> known;
  for (const NamedReport& run : runs) {
    for (const Metric& metric : run.report.metrics) {
      if (metric.info != nullptr) known.emplace(metric.name, metric.info);
    }
  }
  for (NamedReport& run : runs) {
    for (Metric& metric : run.report.metrics) {
      const auto found = known.find(metric.name);
      if (metric.info == nullptr && found != known.end()) metric.info = found->second;
    }
  }
}

std::string common_metric(const std::vector<NamedReport>& runs, const std::string& wanted) {
  const std::vector<Metric>& metrics = runs.front().report.metrics;
  std::vector<std::string> candidates;
  if (wanted.empty()) {
    for (const size_t position : speaking_order(metrics)) candidates.push_back(metrics[position].name);
  } else {
    const std::optional<size_t> found = find_named(metrics, wanted);
    candidates.push_back(found ? metrics[*found].name : wanted);
  }
  const NamedReport* lacking = &runs.front();
  for (const std::string& metric : candidates) {
    const auto found = std::ranges::find_if(
        runs, [&](const NamedReport& run) { return find_metric(run.report, metric) == nullptr; });
    if (found == runs.end()) {
      check_one_model(runs, metric);
      return metric;
    }
    lacking = &*found;
  }
  const std::string searched = wanted.empty() ? listed_names(metrics) : printable(wanted);
  throw Error(ErrorKind::kMismatch,
              "{} has {}, but not {}. Try --metric, or score all with the same options.", lacking->name,
              listed_names(lacking->report.metrics), searched);
}

std::vector<std::string> other_common_metrics(const std::vector<NamedReport>& runs, const std::string& metric,
                                              bool inner) {
  std::vector<std::string> others;
  const std::vector<Metric>& metrics = runs.front().report.metrics;
  const bool any_asked = !std::ranges::all_of(metrics, &Metric::is_inner);
  for (const size_t position : reading_order(metrics)) {
    const Metric& candidate = metrics[position];
    const auto lacks = [&](const NamedReport& run) {
      return find_metric(run.report, candidate.name) == nullptr;
    };
    if (candidate.name == metric || is_neutral(candidate)) continue;
    if ((any_asked && candidate.is_inner) != inner) continue;
    if (std::ranges::none_of(runs, lacks)) others.push_back(candidate.name);
  }
  return others;
}

bool is_comparable(const NamedReport& run, const std::string& metric) {
  const Metric* const found = find_metric(run.report, metric);
  return found == nullptr || (!found->values.empty() && vq::is_comparable(run.report, *found));
}

const InputFacts& video_facts(const NamedReport& run) {
  static const InputFacts kUnknown = {};
  const InputFacts* const video = distorted_input(run.report);
  return video == nullptr ? kUnknown : *video;
}

MetricStatistics statistics_in(const NamedReport& run, const std::string& metric) {
  const Metric& scored = *find_metric(run.report, metric);
  return MetricStatistics(is_sample(run.report) ? Metric{scored.name, {}, &metric_info(scored)} : scored);
}

bool has_samples(std::span<const NamedReport> runs) {
  return std::ranges::any_of(runs, [](const NamedReport& run) { return is_sample(run.report); });
}

bool are_pictures(std::span<const NamedReport> runs) {
  size_t pictures = 0;
  for (const NamedReport& run : runs) {
    const InputFacts* const video = distorted_input(run.report);
    if (video == nullptr) continue;
    if (!video->bits_per_pixel) return false;
    ++pictures;
  }
  return pictures > 0;
}

std::string ranked_by_word(const ComparisonBasis& basis) {
  if (basis.ranked_by == RankedBy::kSize) return "size";
  return basis.ranked_by == RankedBy::kBitRate ? "bitrate" : basis.statistic.name;
}

double ranking_value(const NamedReport& run, const ComparisonBasis& basis) {
  if (basis.ranked_by == RankedBy::kStatistic) return statistics_in(run, basis.metric).of(basis.statistic);
  const InputFacts& video = video_facts(run);
  const std::optional<int64_t>& cost = basis.ranked_by == RankedBy::kSize ? video.file_bytes : video.bit_rate;
  return cost ? static_cast<double>(*cost) : std::numeric_limits<double>::quiet_NaN();
}

bool ranks_highest_first(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  if (basis.ranked_by != RankedBy::kStatistic) return false;
  return metric_info(runs.front().report, basis.metric).better == Better::kHigher &&
         basis.statistic.name != "stdev" && !basis.statistic.is_share();
}

std::vector<size_t> ranking(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  const bool highest_first = ranks_highest_first(runs, basis);
  const auto keys = mapped(runs, [&](const NamedReport& run) { return rank_key(run, basis, highest_first); });
  std::vector<size_t> places(runs.size());
  std::iota(places.begin(), places.end(), size_t{0});
  std::ranges::stable_sort(places, [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  return places;
}

void rank(std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  runs = mapped(ranking(runs, basis), [&](size_t place) { return std::move(runs[place]); });
}

std::vector<SharedMoment> differing_moments(const std::vector<NamedReport>& runs, const std::string& metric,
                                            size_t count) {
  // The larger a spread the more it is wanted, and none at all is not.
  MomentFinder finder({.better = Better::kLower, .flawless = 0}, count);
  const RunScores scores = comparable_scores(runs, metric);
  std::set<int64_t> all;
  for (size_t i = 0; i < runs.size(); ++i) {
    const std::vector<int64_t>& frames = runs[i].report.frames;
    if (scores[i] != nullptr) all.insert(frames.begin(), frames.end());
  }
  for (const int64_t frame : all) {
    const SharedMoment moment = moment_at(runs, scores, frame);
    finder.add({frame, moment.timestamp, moment.spread});
  }
  return mapped(finder.worst(),
                [&](const TimedScore& found) { return moment_at(runs, scores, found.frame); });
}

std::vector<SharedMoment> worst_moments_of_first(const std::vector<NamedReport>& runs,
                                                 const std::string& metric, size_t count) {
  const Report& first = runs.front().report;
  const Metric& scored = *find_metric(first, metric);
  if (!is_comparable(runs.front(), metric)) return {};
  const RunScores scores = comparable_scores(runs, metric);
  return mapped(worst_moments(first, metric_info(scored), scored.values, count),
                [&](size_t position) { return moment_at(runs, scores, first.frames[position]); });
}

TextTable moments_table(const std::vector<NamedReport>& runs, const std::vector<SharedMoment>& moments) {
  TextTable table({{"frame"},
                   {"time"},
                   {"apart"},
                   {"lowest", kFlushLeft, 0, kLeastScoreName},
                   {"highest", kFlushLeft, 0, kLeastScoreName}});
  for (const SharedMoment& moment : moments) {
    std::vector<size_t> scored;
    for (size_t i = 0; i < runs.size(); ++i) {
      if (moment.scores[i]) scored.push_back(i);
    }
    const auto score = [&](size_t i) { return *moment.scores[i]; };
    const auto cell = [&](auto of) {
      return words("{} {}", fixed_text(score(*of), kDecimals), shown_path(runs[*of].name));
    };
    table.add({std::to_string(moment.frame), moment.timestamp ? timecode(*moment.timestamp) : "-",
               fixed_text(moment.spread, kDecimals), cell(std::ranges::min_element(scored, {}, score)),
               cell(std::ranges::max_element(scored, {}, score))});
  }
  return table;
}

std::optional<int> coarse_decimals(const MetricInfo& info) {
  constexpr double kCoarse = 100;
  return info.usual_top >= kCoarse && info.decimals > 1 ? std::optional(1) : std::nullopt;
}

}  // namespace vq::cli
