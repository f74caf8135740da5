// Thresholds on a run's scores, for pipelines: --fail-above mean>5.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/reports/statistic.h"
#include "core/report.h"

namespace vq::cli {

struct Threshold {
  std::string text;    // as given
  std::string metric;  // empty: the first one
  Statistic statistic;
  bool inclusive = false;  // the value itself is too much
  double value = 0;
};

// [METRIC:]STATISTIC>VALUE or >=, with blanks where one likes; a share takes a percentage, share>10%. Throws
// Error{kUsage} with what is wrong and what is allowed.
Threshold parse_threshold(const std::string& text);

// Throws Error{kUsage} with the nearest name where a threshold's metric is none of `metrics`. A metric may be
// named without the options in its name: "cambi" is the first whose name is that or goes on with "_".
void check_threshold_metrics(std::span<const Threshold> thresholds, std::span<const std::string> metrics);

// How each came out, in order. A statistic that is not a number crosses every threshold. Needs: metrics that
// check_threshold_metrics() lets pass.
std::vector<ThresholdFacts> judge(std::span<const Threshold> thresholds, const Report& report);

// The crossed ones in words: "p95 of cambi is 18.217 (p95>5); ...". Empty where there are none.
std::string crossed_text(std::span<const ThresholdFacts> thresholds);

}  // namespace vq::cli
