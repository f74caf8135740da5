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

}  // namespace vq::cli
