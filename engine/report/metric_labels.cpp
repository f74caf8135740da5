#include "engine/report/metric_labels.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/text.h"
#include "engine/known_metrics.h"
#include "engine/models/model_scores.h"

namespace vq {

std::vector<std::string> metric_labels(std::span<const Metric> metrics) {
  constexpr size_t kLong = 24;
  const bool has_score = std::any_of(metrics.begin(), metrics.end(), is_model_score);
  std::map<std::string_view, int> sharing;
  for (const Metric& metric : metrics) ++sharing[metric_info(metric).name];
  std::vector<std::string> labels;
  for (const Metric& metric : metrics) {
    const std::string_view plain = metric_info(metric).name;
    const bool is_short = !has_score || metric.name.size() <= kLong || plain.empty() || sharing[plain] > 1;
    const std::string label =
        is_short ? metric.name : std::string(plain) + (metric.is_inner ? std::string(kOfModel) : "");
    labels.push_back(printable(label));
  }
  return labels;
}

std::vector<size_t> reading_order(std::span<const Metric> metrics) {
  const auto place = [&](size_t i) {
    return std::pair(model_part(metric_info(metrics[i])), metrics[i].is_inner);
  };
  std::vector<size_t> order(metrics.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return place(a) < place(b); });
  return order;
}

}  // namespace vq
