#include "cli/reports/run_rates.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "core/text/number_text.h"
#include "engine/known_metrics.h"

namespace vq::cli {
namespace {

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

std::string rates_text(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  const std::vector<std::optional<bool>> worth = worth_their_bits(runs, basis);
  std::string names;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (worth[i].value_or(false)) names += (names.empty() ? "" : ", ") + shown_path(runs[i].name);
  }
  return names.empty() ? "" : "Best for their bit rate: " + names + ".";
}

}  // namespace vq::cli
