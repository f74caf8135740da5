// Statistics of a metric by their names on the command line, for --by, --fail-above and others; the choice of
// metrics by name or by default.
#pragma once

#include "core/metric.h"
#include "engine/known_metrics.h"
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
// `if` and names the nearest word, or all.
Statistic parse_statistic(const std::string& word, const std::string& where);

// Members of PooledScores, by their names in files. libvmaf's layouts have `kPooledOfLibrary` of them.
struct PooledMember {
  std::string_view name;
  double PooledScores::*value;
};
inline constexpr PooledMember kPooledMembers[] = {
    {"min", &PooledScores::min},     {"max", &PooledScores::max},
    {"mean", &PooledScores::mean},   {"harmonic_mean", &PooledScores::harmonic_mean},
    {"stdev", &PooledScores::stdev}, {"p1", &PooledScores::p1},
    {"p5", &PooledScores::p5},       {"p10", &PooledScores::p10},
    {"p50", &PooledScores::p50},     {"p90", &PooledScores::p90},
    {"p95", &PooledScores::p95},     {"p99", &PooledScores::p99}};
inline constexpr size_t kPooledOfLibrary = 4;

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
// Needs: words of parse_statistic().
std::vector<Statistic> statistics_called(std::span<const char* const> names);

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

// Choice of metrics by name or by default: one rule for thresholds, segments, rankings and summaries.

// The metric of this name. Accepted are the name in the report, the name without option suffixes, the common
// name (MetricInfo::alias), and the name without its prefix ("adm2" for "integer_adm2"). Nothing if there is
// none.
std::optional<size_t> find_named(std::span<const Metric> metrics, std::string_view name);

// Whether this is the name, in one of these forms, of a known metric that has a better direction.
bool is_name_of_judged(const std::string& name);

// Whether it scores the video and has a better direction: it is of neither the reference nor the excess over
// it.
bool judges_video(const MetricInfo& metric);

// Metrics that a threshold without a name may refer to, in speaking_order(): metrics that were requested,
// that have a noteworthy level, and that score the video rather than its reference.
std::vector<size_t> judging_metrics(std::span<const Metric> metrics);

// Metrics by which people judge a run, in reading_order(): each score of a model, or else the first metric
// with a better direction, and for each other subject a metric with a noteworthy level. None is of the
// reference. Among several of one subject, requested ones are preferred, then the one with the most
// noteworthy frames. If no metric has a better direction, leading_metric() alone; empty if there are no
// metrics.
std::vector<size_t> verdict_metrics(std::span<const Metric> metrics);

// Names for a message: the first few, and the number of the others.
std::string listed_names(std::span<const Metric> metrics);

// Metrics that a threshold or a request may mean: the one with the name (see find_named()), or without a name
// judging_metrics().
std::vector<size_t> meant_metrics(std::span<const Metric> metrics, const std::string& name);
// Why it means none, and what to write instead; `rest` follows the name of a metric. Needs: metrics.
std::string meant_none(std::span<const Metric> metrics, const std::string& name, const std::string& rest);
// The same if it means several.
std::string meant_several(std::span<const Metric> metrics, std::span<const size_t> positions,
                          const std::string& rest);

// Their names followed by `endings`, as examples: "'cambi:p95>5' or 'vmaf:p95>5'".
std::string examples_of(std::span<const Metric> metrics, std::span<const size_t> positions,
                        const std::string& rest);

// Short names of metrics, and their reading order.

// In the order of the metrics. Scores of models have the titles of these, with their names if two are alike.
// Beside the score of a model, whose features have options that nobody typed,
// long names are cut before the options if no other metric shares the rest; "(model)" follows if only a model
// requested the feature, since the metric without these options has other scores. Flags that take a metric
// accept both forms.
std::vector<std::string> metric_labels(std::span<const Metric> metrics);

inline constexpr std::string_view kOfModel = " (model)";

// Scores of models, then additions of collections, then metrics requested by name, then inputs of models,
// each in report order.
std::vector<size_t> reading_order(std::span<const Metric> metrics);

// Names of a report in a layout of the reference tool, in their order. Models may call their scores as they
// like; these stand behind the features that they are made of. So they are the last names, as far back as no
// feature has them, behind some feature that compares a video with its reference; but none of those that
// features of the reference tool have which this program lacks. What a collection adds to a score, under its
// name, is left out.
std::vector<std::string> scores_of_models(std::span<const std::string> metrics);

}  // namespace vq
