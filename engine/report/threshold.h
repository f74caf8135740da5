// Thresholds on a run's scores, for pipelines: mean>5, mean<30, and on how they differ from those of a saved
// report: mean>+0.5.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/report/baseline.h"
#include "engine/report/report.h"
#include "engine/report/statistic.h"

namespace vq {

struct Threshold {
  std::string text;    // as given
  std::string metric;  // empty: the one that a number alone may judge
  Statistic statistic;
  bool from_below = false;  // crossed by lower values
  bool inclusive = false;   // crossed by the value itself
  double value = 0;         // of a percentage a hundredth
  bool is_signed = false;   // measured from the baseline, where there is one
  bool is_percent = false;  // of what it is measured from; never of a share, which is one itself
};

enum class ThresholdSide { kAbove, kBelow };

// [METRIC:]STATISTIC>VALUE or >=, or METRIC>VALUE for its mean where the metric is known here and one side of
// it is worse; for kBelow with < or <=, with blanks where one likes; a share takes a percentage, share>10%.
// Measured from a baseline: mean>+0.5, mean>+10%, share>+5% (five more of a hundred frames). Throws
// Error{kUsage} with what is wrong and what is allowed.
Threshold parse_threshold(const std::string& text, ThresholdSide side);

// Throws Error{kUsage} where one can only be measured from a baseline and there is none, and where there is
// one and none is measured from it.
void check_baseline_use(std::span<const Threshold> thresholds, bool has_baseline);

// Throws Error{kUsage} with the nearest name where a threshold's metric is none of `metrics` (see
// find_named()), where none is named and not exactly one of judging_metrics() has its worse side there, and
// for a share of a metric of which no score is noteworthy.
void check_threshold_metrics(std::span<const Threshold> thresholds, std::span<const Metric> metrics);

// Throws Error{kMismatch} where a metric that is measured from the baseline is not in it. Needs: as judge().
void check_baseline(std::span<const Threshold> thresholds, std::span<const Metric> metrics,
                    std::span<const ModelFacts> models, const Baseline& baseline);

// How each came out, in order. Where a score is missing, here or in the baseline, every threshold is crossed;
// the deviation of infinite scores, which is not a number either, crosses none. Needs: metrics that
// check_threshold_metrics() lets pass, and check_baseline() where there is a baseline.
std::vector<ThresholdFacts> judge(std::span<const Threshold> thresholds, const Report& report,
                                  const Baseline* baseline = nullptr);

// The value that was judged: "6.5", "50.00 %", "5.5, in the baseline 4.5".
std::string value_words(const ThresholdFacts& threshold);
// In words: "p95 of cambi is 18.217 (p95>5)", "mean of cambi is 5.5, in the baseline 4.5 (mean>+0.5)".
std::string threshold_text(const ThresholdFacts& threshold);
// A line each, with how it came out: "threshold kept: mean of cambi is 3 (mean>5)".
std::string thresholds_text(std::span<const ThresholdFacts> thresholds);
// The crossed ones, with semicolons between. Empty where there are none.
std::string crossed_text(std::span<const ThresholdFacts> thresholds);

}  // namespace vq
