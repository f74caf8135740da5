#include "core/metric_info.h"

#include <algorithm>

namespace vq {

bool is_worse(const MetricInfo& metric, double score, double than) {
  if (metric.better == Better::kNeither) return false;
  return metric.better == Better::kLower ? score > than : score < than;
}

bool is_noteworthy(const MetricInfo& metric, double score) {
  if (!metric.noteworthy || metric.better == Better::kNeither) return false;
  return metric.better == Better::kLower ? score >= *metric.noteworthy : score <= *metric.noteworthy;
}

int mean_decimals(const MetricInfo& metric) {
  constexpr int kOfWholeNumbers = 2;
  return std::max(metric.decimals, kOfWholeNumbers);
}

int64_t count_noteworthy(const MetricInfo& metric, std::span<const double> scores) {
  return std::count_if(scores.begin(), scores.end(), [&](double score) { return is_noteworthy(metric, score); });
}

}  // namespace vq
