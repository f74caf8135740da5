// Thresholds on a run's scores, for pipelines: mean>5, mean<30, or relative to a saved report: mean>+0.5.
#pragma once

#include "engine/report/report.h"
#include "engine/report/statistic.h"

namespace vq {

// A saved report to which thresholds are relative: --baseline old.json --fail-above 'mean>+0.5'.

struct Baseline {
  std::string path;
  Report report;
};

// Reasons why the two are not quite comparable, one sentence each: different lengths, sizes, rectangles or
// options, or a run that ended early. Facts that a compatible report lacks are assumed to be equal.
std::vector<std::string> remarks_on_baseline(const Baseline& baseline, const Report& report);

struct Threshold {
  std::string text;    // as given
  std::string metric;  // empty: the only one of judging_metrics()
  Statistic statistic;
  bool from_below = false;  // crossed by lower values
  bool inclusive = false;   // crossed by the value itself
  double value = 0;         // percentages as fractions
  bool is_signed = false;   // relative to the baseline, if there is one
  // percentage of the baseline's value; never for a share, which is a percentage itself
  bool is_percent = false;
};

enum class ThresholdSide { kAbove, kBelow };

// [METRIC:]STATISTIC>VALUE or >=, or METRIC>VALUE for the mean of a known metric that has a better direction;
// for kBelow with < or <=. Blanks are allowed. A share takes a percentage, share>10%. Relative to a baseline:
// mean>+0.5, mean>+10%, share>+5% (five percentage points). Throws Error{kUsage} with what is wrong and what
// is allowed.
Threshold parse_threshold(const std::string& text, ThresholdSide side);

// Throws Error{kUsage} if a threshold needs a baseline and there is none, or if there is a baseline that no
// threshold uses.
void check_baseline_use(std::span<const Threshold> thresholds, bool has_baseline);

// Throws Error{kUsage} with the nearest name if a threshold's metric is not in `metrics` (see find_named()),
// if none is named and not exactly one of judging_metrics() gets worse in the threshold's direction, and for
// the share of a metric without a noteworthy level. Returns the places of the thresholds' metrics.
std::vector<size_t> check_threshold_metrics(std::span<const Threshold> thresholds,
                                            std::span<const Metric> metrics);

// Throws as check_threshold_metrics(), and Error{kMismatch} if the baseline lacks a metric of a relative
// threshold.
void check_baseline(std::span<const Threshold> thresholds, std::span<const Metric> metrics,
                    std::span<const ModelFacts> models, const Baseline& baseline);

// The results, in order. Thresholds on scores that are not comparable, here or in the baseline, are not
// judged. If a score is missing, here or in the baseline, every threshold is crossed; the standard deviation
// of infinite scores, which is also NaN, crosses none. Throws as check_threshold_metrics() and
// check_baseline().
std::vector<ThresholdFacts> judge(std::span<const Threshold> thresholds, const Report& report,
                                  const Baseline* baseline = nullptr);

// The value that was judged: "6.5", "50.00 %", "5.5, in the baseline 4.5".
std::string value_words(const ThresholdFacts& threshold);
// In words: "p95 of cambi is 18.217 (p95>5)", "mean of cambi is 5.5, in the baseline 4.5 (mean>+0.5)".
std::string threshold_text(const ThresholdFacts& threshold);
// "crossed", "kept" or "not judged".
const char* word_of(const ThresholdFacts& threshold);
// One line each, with the result: "threshold kept: mean of cambi is 3 (mean>5)".
std::string thresholds_text(std::span<const ThresholdFacts> thresholds);
// The crossed ones, separated by semicolons. Empty if there are none.
std::string crossed_text(std::span<const ThresholdFacts> thresholds);
// The same of those that are not judged.
std::string unjudged_text(std::span<const ThresholdFacts> thresholds);

}  // namespace vq
