// Statistics of a metric by their names on the command line, for --by, --fail-above and others.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/metric.h"
#include "engine/report/report.h"

namespace vq {

struct Statistic {
  std::string name;                  // min, max, mean, harmonic_mean, stdev, p0 to p100 or share
  std::optional<double> percentile;  // 95 for "p95"

  // The fraction of frames with a noteworthy score, 0 to 1.
  bool is_share() const { return name == "share"; }
  // Whether it may be fractional even if all scores are whole numbers.
  bool is_mean() const { return name == "mean" || name == "harmonic_mean" || name == "stdev"; }
  bool operator==(const Statistic&) const = default;
};

// A name or a synonym: "median" is p50, "harmonic" is harmonic_mean. Throws Error{kUsage} that starts with
// `where` and names the nearest word, or all.
Statistic parse_statistic(const std::string& word, const std::string& where);

// The statistics of one metric, whose scores are sorted once for all of them.
class MetricStatistics {
 public:
  explicit MetricStatistics(const Metric& metric);

  // NaN if a score is NaN or there are no scores, and for the share if the metric has no noteworthy level.
  double of(const Statistic& statistic) const;
  // A table cell for people, with the metric's decimals: "1.234", for the share "3 (25.0 %)", and "-" for
  // NaN.
  std::string cell(const Statistic& statistic) const;

 private:
  const MetricInfo& info_;
  int64_t noteworthy_;
  std::optional<PooledScores> pooled_;  // none if there are no scores, or one is NaN
  std::vector<double> sorted_;
};

// The same for a single statistic.
double statistic_of(const Metric& metric, const Statistic& statistic);

// The statistics in files for programs, in this order, whatever the metric. Tables for people have some of
// them, in the same order.
const std::vector<Statistic>& file_statistics();

// The columns of a table for people: mean, the worst, those towards the worse end of the metrics and the
// median, or both ends if the metrics disagree or have no better direction; the share if a metric has a
// noteworthy level.
struct ShownStatistic {
  Statistic statistic;
  int rank = 0;  // see TextColumn
};
std::vector<ShownStatistic> table_statistics(std::span<const Metric> metrics);

// As a column heading: "p95", "frames >= 5". `metric`: of all scores in the column.
std::string heading_of(const Statistic& statistic, const MetricInfo& metric);
// For a sentence: "95th percentile", "median".
std::string words_of(const Statistic& statistic, const MetricInfo& metric);

}  // namespace vq
