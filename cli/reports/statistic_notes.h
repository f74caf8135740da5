// What the statistics of reports mean, for readers who meet them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/report/report.h"

namespace vq::cli {

struct StatisticNote {
  std::string name;      // as reports have it: "p95"
  std::string title;     // as a heading: "95th percentile"
  std::string meaning;   // a sentence or two
  bool is_mean = false;  // see Statistic
};

// Of file_statistics(), in that order, and of what tables of these metrics show beside them, together or
// alone.
std::vector<StatisticNote> statistic_notes(std::span<const Metric> metrics);

// The decimals that matter where scores have more, such as those of up to 100; nothing for other metrics.
std::optional<int> coarse_decimals(const MetricInfo& info);

}  // namespace vq::cli
