// Thresholds on a run's scores, for pipelines: --fail-above mean>5, --fail-below mean<30.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/reports/statistic.h"
#include "core/report.h"

namespace vq::cli {

struct Threshold {
  std::string text;    // as given
  std::string metric;  // empty: the first of which this side is the worse one
  Statistic statistic;
  bool from_below = false;  // crossed by lower values
  bool inclusive = false;   // crossed by the value itself
  double value = 0;
};

enum class ThresholdSide { kAbove, kBelow };

// [METRIC:]STATISTIC>VALUE or >=, for kBelow with < or <=, with blanks where one likes; a share takes a percentage,
// share>10%. Throws Error{kUsage} with what is wrong and what is allowed.
Threshold parse_threshold(const std::string& text, ThresholdSide side);

// The flag that gives it, for messages.
const char* flag_of(const Threshold& threshold);

// Throws Error{kUsage} with the nearest name where a threshold's metric is none of `metrics`, where none is named and its
// side is the better one of all, and for a share of a metric of which no score is noteworthy. A metric may be named without
// the options in its name: the first whose name is what was given, or goes on with "_".
void check_threshold_metrics(std::span<const Threshold> thresholds, std::span<const std::string> metrics);

// How each came out, in order. A statistic that is not a number crosses every threshold. Needs: metrics that
// check_threshold_metrics() lets pass.
std::vector<ThresholdFacts> judge(std::span<const Threshold> thresholds, const Report& report);

// The crossed ones in words: "p95 of cambi is 18.217 (p95>5); ...". Empty where there are none.
std::string crossed_text(std::span<const ThresholdFacts> thresholds);

}  // namespace vq::cli
