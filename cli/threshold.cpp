#include "cli/threshold.h"

#include <algorithm>
#include <cmath>

#include "cli/number_text.h"
#include "core/error.h"
#include "core/options.h"

namespace vq::cli {
namespace {

constexpr NumberStyle kShown = {NumberStyle::Kind::kSignificant, 6};
const std::vector<std::string>& statistic_names() {
  static const std::vector<std::string> kNames = {"min", "max", "mean", "harmonic_mean", "stdev", "p50",
                                                  "p90", "p95", "p99"};
  return kNames;
}

Error fault(const std::string& text, const std::string& what) {
  return Error(ErrorKind::kUsage, "--fail-above \"" + printable(text) + "\": " + what +
                                      ". It takes [METRIC:]STATISTIC>LIMIT such as mean>5 or p95>=8.");
}

// The p of "p95"; nothing for another word.
std::optional<double> percentile_of(const std::string& statistic) {
  double p = 0;
  if (!statistic.starts_with('p') || statistic.find_first_not_of("0123456789.", 1) != std::string::npos ||
      !parse_real(std::string_view(statistic).substr(1), p) || p > 100) {
    return std::nullopt;
  }
  return p;
}

void check_statistic(const Threshold& threshold) {
  const std::vector<std::string>& names = statistic_names();
  const std::string& word = threshold.statistic;
  if (percentile_of(word) || std::find(names.begin(), names.end(), word) != names.end()) return;
  const std::string near = nearest(word, names);
  throw fault(threshold.text, "unknown statistic \"" + printable(word) + "\"" +
                                  (near.empty() ? "; it is min, max, mean, harmonic_mean, stdev or p0..p100"
                                                : ". Did you mean \"" + near + "\"?"));
}

// Position of the metric that `name` means; the number of metrics where there is none.
size_t find_metric(const std::string& name, std::span<const std::string> metrics) {
  const auto exact = std::find(metrics.begin(), metrics.end(), name);
  if (name.empty()) return 0;
  if (exact != metrics.end()) return static_cast<size_t>(exact - metrics.begin());
  const auto longer = std::find_if(metrics.begin(), metrics.end(),
                                   [&](const std::string& metric) { return metric.starts_with(name + "_"); });
  return static_cast<size_t>(longer - metrics.begin());
}

double value_of(const std::string& statistic, const std::vector<double>& values) {
  if (const std::optional<double> p = percentile_of(statistic)) {
    std::vector<double> sorted = values;
    if (std::any_of(sorted.begin(), sorted.end(), [](double value) { return std::isnan(value); })) return NAN;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? NAN : percentile(sorted, *p);
  }
  const std::optional<PooledScores> pooled = pool_scores(values);
  if (!pooled) return NAN;
  if (statistic == "min") return pooled->min;
  if (statistic == "max") return pooled->max;
  if (statistic == "mean") return pooled->mean;
  return statistic == "stdev" ? pooled->stdev : pooled->harmonic_mean;
}

}  // namespace

Threshold parse_threshold(const std::string& text) {
  Threshold threshold;
  threshold.text = text;
  const size_t sign = text.find('>');
  if (sign == std::string::npos) throw fault(text, "there is no > or >=");
  threshold.inclusive = text.substr(sign + 1).starts_with('=');
  const std::string limit = text.substr(sign + (threshold.inclusive ? 2 : 1));
  if (!parse_real(limit, threshold.limit)) {
    throw fault(text, "the limit \"" + printable(limit) + "\" is not a number");
  }
  const std::string left = text.substr(0, sign);
  const size_t colon = left.rfind(':');
  if (colon != std::string::npos) {
    threshold.metric = left.substr(0, colon);
    if (threshold.metric.empty()) throw fault(text, "the metric before the colon is missing");
  }
  threshold.statistic = left.substr(colon == std::string::npos ? 0 : colon + 1);
  check_statistic(threshold);
  return threshold;
}

void check_threshold_metrics(std::span<const Threshold> thresholds, std::span<const std::string> metrics) {
  for (const Threshold& threshold : thresholds) {
    if (find_metric(threshold.metric, metrics) < metrics.size()) continue;
    std::string near = nearest(threshold.metric, metrics);
    if (near.empty()) near = metrics.front();
    throw fault(threshold.text,
                "no metric \"" + printable(threshold.metric) + "\" here. Did you mean \"" + near + "\"?");
  }
}

std::vector<std::string> crossed_thresholds(std::span<const Threshold> thresholds, const Report& report) {
  std::vector<std::string> names, lines;
  for (const Metric& metric : report.metrics) names.push_back(metric.name);
  for (const Threshold& threshold : thresholds) {
    const Metric& metric = report.metrics.at(find_metric(threshold.metric, names));
    const double value = value_of(threshold.statistic, metric.values);
    const bool below = threshold.inclusive ? value < threshold.limit : value <= threshold.limit;
    if (below) continue;
    const std::string limit = number_text(threshold.limit, kShown);
    lines.push_back(threshold.statistic + " of " + metric.name + " is " + number_text(value, kShown) +
                    (value == threshold.limit
                         ? ", the limit itself"
                         : ", which is " + number_text(value - threshold.limit, kShown) + " above " + limit) +
                    " (" + threshold.text + ")");
  }
  return lines;
}

}  // namespace vq::cli
