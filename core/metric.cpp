#include "core/metric.h"

#include <cmath>

#include "core/text.h"

namespace vq {

std::vector<std::string> names_of(std::span<const Metric> metrics) { return mapped(metrics, &Metric::name); }

bool is_known(const MetricInfo& metric) { return !metric.title.empty(); }

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
  return std::ranges::count_if(scores, [&](double score) { return is_noteworthy(metric, score); });
}

std::span<const double> counted_values(const MetricInfo& metric, std::span<const double> values) {
  const bool lacks_first = metric.lacks_first && !values.empty() && std::isnan(values.front());
  return values.subspan(lacks_first ? 1 : 0);
}

std::optional<PooledScores> pool_scores(std::span<const double> values, const Averaging& mean) {
  if (values.empty()) return std::nullopt;
  // There is no order to sort by if a value is not a number.
  if (std::ranges::any_of(values, [](double value) { return std::isnan(value); })) {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    return PooledScores{kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN};
  }
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return pool_scores(values, sorted, mean);
}

PooledScores pool_scores(std::span<const double> values, std::span<const double> sorted,
                         const Averaging& mean) {
  const double n = static_cast<double>(values.size());
  PooledScores pooled;
  double sum = 0, reciprocal_sum = 0;
  for (const double value : values) {
    sum += value;
    reciprocal_sum += 1.0 / (value + 1.0);
  }
  pooled.mean = sum / n;
  if (mean.of_score != nullptr && values.size() > 1) {
    double averaged = 0;
    for (const double value : values) averaged += mean.of_score(value);
    pooled.mean = mean.to_score(averaged / n);
  }
  pooled.harmonic_mean = n / reciprocal_sum - 1.0;
  double squares = 0;
  for (const double value : values) squares += (value - pooled.mean) * (value - pooled.mean);
  pooled.stdev = std::sqrt(squares / n);
  pooled.min = sorted.front();
  pooled.max = sorted.back();
  pooled.p1 = percentile(sorted, 1);
  pooled.p5 = percentile(sorted, 5);
  pooled.p10 = percentile(sorted, 10);
  pooled.p50 = percentile(sorted, 50);
  pooled.p90 = percentile(sorted, 90);
  pooled.p95 = percentile(sorted, 95);
  pooled.p99 = percentile(sorted, 99);
  return pooled;
}

double percentile(std::span<const double> sorted, double p) {
  const double position = p / 100.0 * static_cast<double>(sorted.size() - 1);
  const size_t below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = position - static_cast<double>(below);
  if (share == 0 || sorted[below] == sorted[above]) return sorted[below];
  // There is nothing halfway between a score and infinity.
  if (std::isinf(sorted[above])) return sorted[below];
  if (std::isinf(sorted[below])) return sorted[above];
  return sorted[below] + share * (sorted[above] - sorted[below]);
}

size_t percentile_bin(std::span<const uint32_t> bins, uint64_t samples, uint64_t percent) {
  const uint64_t rank = (percent * samples + 99) / 100;
  uint64_t seen = 0;
  size_t bin = 0;
  while ((seen += bins[bin]) < rank) ++bin;
  return bin;
}

}  // namespace vq
