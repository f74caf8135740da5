#include "core/metric_info.h"

#include <algorithm>
#include <cmath>

namespace vq {

bool is_known(const MetricInfo& metric) {
  return !metric.title.empty();
}

bool is_worse(const MetricInfo& metric, double score, double than) {
  if (metric.better == Better::kNeither) return false;
  return metric.better == Better::kLower ? score > than : score < than;
}

bool is_endless(const MetricInfo& metric, double score) {
  if (metric.better == Better::kNeither || !std::isinf(score)) return false;
  return (score > 0) == (metric.better == Better::kHigher);
}

bool is_noteworthy(const MetricInfo& metric, double score) {
  if (!metric.noteworthy || metric.better == Better::kNeither) return false;
  return metric.better == Better::kLower ? score >= *metric.noteworthy : score <= *metric.noteworthy;
}

const MetricInfo* find_metric_info(std::span<const MetricInfo> metrics, std::string_view name) {
  const MetricInfo* found = nullptr;
  for (const MetricInfo& metric : metrics) {
    const bool fits =
        name == metric.name || (name.starts_with(metric.name) && name[metric.name.size()] == '_');
    if (fits && (found == nullptr || metric.name.size() > found->name.size())) found = &metric;
  }
  return found;
}

int mean_decimals(const MetricInfo& metric) {
  constexpr int kOfWholeNumbers = 2;
  return std::max(metric.decimals, kOfWholeNumbers);
}

int64_t count_noteworthy(const MetricInfo& metric, std::span<const double> scores) {
  return std::count_if(scores.begin(), scores.end(),
                       [&](double score) { return is_noteworthy(metric, score); });
}

}  // namespace vq
