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

std::vector<std::string> certain_texts(const std::vector<PairFault>& faults) {
  std::vector<std::string> texts;
  for (const PairFault& fault : faults) {
    if (fault.is_certain) texts.push_back(fault.diagnostic.text);
  }
  return texts;
}

bool is_comparable(const Report& report, const Metric& metric) {
  return !is_not_comparable(report.run.pair_faults) || is_of_one_video(metric);
}

const MetricInfo& metric_info(const Report& report, std::string_view metric) {
  const Metric* const found = find_metric(report, metric);
  return found != nullptr ? metric_info(*found) : known_metric(metric);
}

}  // namespace vq
