// Statistics of a metric by the words that name them on the command line: --by and --fail-above know the
// same.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/metric_info.h"
#include "core/pooling.h"
#include "engine/report/report.h"

namespace vq {

struct Statistic {
  std::string name;                  // min, max, mean, harmonic_mean, stdev, p0 to p100 or share
  std::optional<double> percentile;  // of "p95": 95

  // The share of frames whose score is noteworthy, 0 to 1.
  bool is_share() const { return name == "share"; }
  // Whether it lies between scores even where these are whole numbers.
  bool is_mean() const { return name == "mean" || name == "harmonic_mean" || name == "stdev"; }
  bool operator==(const Statistic&) const = default;
};

// A name, or another word for one: "median" is p50, "harmonic" is harmonic_mean. Throws Error{kUsage} that
// starts with `where` and names the nearest word, or all.
Statistic parse_statistic(const std::string& word, const std::string& where);

// The statistics of one metric, whose scores are sorted once for all of them.
class MetricStatistics {
 public:
  explicit MetricStatistics(const Metric& metric);

  // Not a number where a score is none or there are no scores, nor for the share of a metric of which no
  // score is noteworthy.
  double of(const Statistic& statistic) const;
  // As a cell of a table for people, with the metric's decimals: "1.234", of the share "3 (25.0 %)", and "-"
  // where there is none.
  std::string cell(const Statistic& statistic) const;

 private:
  const MetricInfo& info_;
  int64_t noteworthy_;
  std::optional<PooledScores> pooled_;  // none where there are no scores, or one is none
  std::vector<double> sorted_;
};

// The same where one is all that is wanted.
double statistic_of(const Metric& metric, const Statistic& statistic);

// What files for programs hold, in this order, whatever the metric. Tables for people have some of them, in
// this order as well.
const std::vector<Statistic>& file_statistics();

// The columns of a table for people: mean, median, and what lies towards the worse end of the metrics, to
// both ends where they differ in that or neither is; the share where a metric has noteworthy scores.
struct ShownStatistic {
  Statistic statistic;
  int rank = 0;  // see TextColumn
};
std::vector<ShownStatistic> table_statistics(std::span<const Metric> metrics);

// As the heading of a column: "p95", "frames >= 5". `metric`: of all scores in the column.
std::string heading_of(const Statistic& statistic, const MetricInfo& metric);
// In a sentence: "95th percentile", "median".
std::string words_of(const Statistic& statistic, const MetricInfo& metric);

}  // namespace vq
