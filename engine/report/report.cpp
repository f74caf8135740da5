#include "engine/report/report.h"

#include <algorithm>

#include "engine/known_metrics.h"

namespace vq {

const Metric* find_metric(const Report& report, std::string_view name) {
  const auto is_it = [&](const Metric& metric) { return metric.name == name; };
  const auto found = std::find_if(report.metrics.begin(), report.metrics.end(), is_it);
  return found == report.metrics.end() ? nullptr : &*found;
}

const InputFacts* distorted_input(const Report& report) {
  for (const InputFacts& input : report.run.inputs) {
    if (input.role == "distorted") return &input;
  }
  return nullptr;
}

const MetricInfo& metric_info(const Report& report, std::string_view metric) {
  const Metric* const found = find_metric(report, metric);
  return found != nullptr ? metric_info(*found) : known_metric(metric);
}

}  // namespace vq
