#include "cli/reports/run_moments.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.h"
#include "core/text/number_text.h"
#include "core/text/timecode.h"
#include "engine/known_metrics.h"
#include "engine/report/moments.h"

namespace vq::cli {

namespace {

constexpr int kDecimals = 3;
constexpr size_t kLeastScoreName = 20;  // columns of a score and a run's name

std::optional<double> finite(std::optional<double> value) {
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<double> time_at(const Report& report, size_t position) {
  return position < report.timestamps.size() ? finite(report.timestamps[position]) : std::nullopt;
}

SharedMoment moment_at(const std::vector<NamedReport>& runs, const std::string& metric, int64_t frame) {
  SharedMoment moment{.frame = frame, .timestamp = {}, .scores = {}};
  std::optional<double> low, high;
  for (const NamedReport& run : runs) {
    const std::vector<int64_t>& frames = run.report.frames;
    const auto found = std::lower_bound(frames.begin(), frames.end(), frame);
    std::optional<double>& score = moment.scores.emplace_back();
    if (found == frames.end() || *found != frame || !is_comparable(run, metric)) continue;
    const auto position = static_cast<size_t>(found - frames.begin());
    score = finite(find_metric(run.report, metric)->values[position]);
    if (!moment.timestamp) moment.timestamp = time_at(run.report, position);
    if (!score) continue;
    low = std::min(low.value_or(*score), *score);
    high = std::max(high.value_or(*score), *score);
  }
  moment.spread = low ? *high - *low : 0;
  return moment;
}

// Lowest and highest score of each frame, and when it is, over all runs.
struct Extent {
  double low = HUGE_VAL, high = -HUGE_VAL;
  std::optional<double> timestamp;
};

std::map<int64_t, Extent> extents(const std::vector<NamedReport>& runs, const std::string& metric) {
  std::map<int64_t, Extent> all;
  for (const NamedReport& run : runs) {
    if (!is_comparable(run, metric)) continue;
    const std::vector<double>& values = find_metric(run.report, metric)->values;
    auto next = all.begin();  // frames ascend
    for (size_t i = 0; i < values.size(); ++i) {
      const auto place = all.try_emplace(next, run.report.frames[i]);
      next = std::next(place);
      Extent& extent = place->second;
      if (!extent.timestamp) extent.timestamp = time_at(run.report, i);
      if (!std::isfinite(values[i])) continue;
      extent.low = std::min(extent.low, values[i]);
      extent.high = std::max(extent.high, values[i]);
    }
  }
  return all;
}

// What a run costs, and how good it is: more is better.
struct Point {
  int64_t rate = 0;
  double value = 0;
};

bool beats(const Point& one, const Point& other) {
  return one.rate <= other.rate && one.value >= other.value &&
         (one.rate < other.rate || one.value > other.value);
}

std::vector<std::optional<Point>> points_of(const std::vector<NamedReport>& runs,
                                            const ComparisonBasis& basis) {
  const double sign = ranks_highest_first(runs, {basis.metric, basis.statistic}) ? 1 : -1;
  std::vector<std::optional<Point>> points;
  for (const NamedReport& run : runs) {
    const InputFacts* const video = scored_video(run.report);
    const double value = statistic_of(*find_metric(run.report, basis.metric), basis.statistic);
    const bool known =
        video != nullptr && video->bit_rate && !std::isnan(value) && is_comparable(run, basis.metric);
    points.push_back(known ? std::optional(Point{*video->bit_rate, sign * value}) : std::nullopt);
  }
  return points;
}

}  // namespace

std::vector<SharedMoment> differing_moments(const std::vector<NamedReport>& runs, const std::string& metric,
                                            size_t count) {
  // The larger a spread the more it is wanted, and none at all is not.
  MomentFinder finder({.better = Better::kLower, .flawless = 0}, count);
  for (const auto& [frame, extent] : extents(runs, metric)) {
    finder.add({frame, extent.timestamp, std::max(0.0, extent.high - extent.low)});
  }
  std::vector<SharedMoment> moments;
  for (const TimedScore& found : finder.worst()) moments.push_back(moment_at(runs, metric, found.frame));
  return moments;
}

std::vector<SharedMoment> worst_moments_of_first(const std::vector<NamedReport>& runs,
                                                 const std::string& metric, size_t count) {
  const Report& first = runs.front().report;
  const Metric& scored = *find_metric(first, metric);
  std::vector<SharedMoment> moments;
  if (!is_comparable(runs.front(), metric)) return moments;
  for (const size_t position : worst_moments(first, metric_info(scored), scored.values, count)) {
    moments.push_back(moment_at(runs, metric, first.frames[position]));
  }
  return moments;
}

TextTable moments_table(const std::vector<NamedReport>& runs, const std::vector<SharedMoment>& moments) {
  constexpr auto kLeft = TextColumn::Align::kLeft;
  TextTable table({{"frame"},
                   {"time"},
                   {"apart"},
                   {"lowest", kLeft, 0, kLeastScoreName},
                   {"highest", kLeft, 0, kLeastScoreName}});
  for (const SharedMoment& moment : moments) {
    const auto less = [](const std::optional<double>& a, const std::optional<double>& b) {
      return a && b && *a < *b;
    };
    size_t low = 0, high = 0;
    for (size_t i = 0; i < moment.scores.size(); ++i) {
      if (!moment.scores[i]) continue;
      if (!moment.scores[low] || less(moment.scores[i], moment.scores[low])) low = i;
      if (!moment.scores[high] || less(moment.scores[high], moment.scores[i])) high = i;
    }
    const auto cell = [&](size_t i) {
      return fixed_text(*moment.scores[i], kDecimals) + " " + shown_path(runs[i].name);
    };
    table.add({std::to_string(moment.frame), moment.timestamp ? timecode(*moment.timestamp) : "-",
               fixed_text(moment.spread, kDecimals), cell(low), cell(high)});
  }
  return table;
}

std::vector<std::optional<bool>> worth_their_bits(const std::vector<NamedReport>& runs,
                                                  const ComparisonBasis& basis) {
  std::vector<std::optional<bool>> worth(runs.size());
  if (runs.empty() || metric_info(runs.front().report, basis.metric).better == Better::kNeither) return worth;
  const std::vector<std::optional<Point>> points = points_of(runs, basis);
  const auto known = [](const std::optional<Point>& point) { return point.has_value(); };
  if (std::count_if(points.begin(), points.end(), known) < 2) return worth;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!points[i]) continue;
    worth[i] = std::none_of(points.begin(), points.end(),
                            [&](const auto& other) { return other && beats(*other, *points[i]); });
  }
  return worth;
}

std::string rate_cell(const InputFacts* video) {
  if (video == nullptr || !video->bit_rate) return "-";
  return fixed_text(static_cast<double>(*video->bit_rate) / 1000, 0) +
         (video->bit_rate_of == "file" ? "*" : "");
}

// With more digits than sizes have elsewhere: files that are compared are often nearly as large.
std::string size_cell(const InputFacts* video) {
  if (video == nullptr || !video->file_bytes) return "-";
  double size = static_cast<double>(std::max<int64_t>(0, *video->file_bytes)) / 1000;
  for (const char* const unit : {" kB", " MB", " GB"}) {
    if (size < 999.5) return fixed_text(size, size < 9.995 ? 2 : size < 99.95 ? 1 : 0) + unit;
    size /= 1000;
  }
  return fixed_text(size, 2) + " TB";
}

std::string worthy_text(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  if (is_of_one_video(*find_metric(runs.front().report, basis.metric))) return {};
  const std::vector<std::optional<bool>> worth = worth_their_bits(runs, basis);
  std::string names;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (worth[i].value_or(false)) names += (names.empty() ? "" : ", ") + shown_path(runs[i].name);
  }
  return names.empty() ? "" : "Best for their bit rate: " + names + ".";
}

}  // namespace vq::cli
