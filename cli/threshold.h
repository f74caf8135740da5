// Limits on a run's scores, for pipelines: --fail-above mean>5.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/report.h"

namespace vq::cli {

// A statistic of a metric, and the limit it must not cross.
struct Threshold {
  std::string text;        // as given
  std::string metric;      // empty: the first one
  std::string statistic;   // min, max, mean, harmonic_mean, stdev or a percentile p0..p100
  bool inclusive = false;  // the limit itself is too much
  double limit = 0;
};

// [METRIC:]STATISTIC>LIMIT or >=. Throws Error{kUsage} with what is wrong and what is allowed.
Threshold parse_threshold(const std::string& text);

// Throws Error{kUsage} with the nearest name where a threshold's metric is none of `metrics`. A metric may be
// named without the options in its name: "cambi" is the first whose name is that or goes on with "_".
void check_threshold_metrics(std::span<const Threshold> thresholds, std::span<const std::string> metrics);

// Those that are crossed, in words: "mean of cambi is 5.312, which is 0.312 above 5 (mean>5)". A statistic
// that is not a number crosses every limit.
std::vector<std::string> crossed_thresholds(std::span<const Threshold> thresholds, const Report& report);

}  // namespace vq::cli
