#include "engine/known_metrics.h"

#include <algorithm>
#include <numeric>

#include "engine/models/catalogue.h"
#include "engine/models/model_spec.h"
#include "feature/feature.h"

namespace vq {

const MetricInfo& metric_info(const Metric& metric) {
  return metric.info != nullptr ? *metric.info : known_metric(metric.name);
}

const MetricInfo& known_metric(std::string_view name) {
  static constexpr MetricInfo kUnknown = {};
  if (const MetricInfo* const score = find_model_score(name); score != nullptr) return *score;
  const MetricInfo* found = &kUnknown;
  for (const FeatureInfo* info : features()) {
    const MetricInfo* const own = find_metric_info(info->metrics, name);
    if (own != nullptr && own->name.size() > found->name.size()) found = own;
  }
  return *found;
}

const FeatureInfo* feature_of_metric(const Metric& metric) {
  const MetricInfo& info = metric_info(metric);
  const auto is_it = [&](const MetricInfo& own) { return &own == &info; };
  const auto has_it = [&](const FeatureInfo* feature) {
    return std::any_of(feature->metrics.begin(), feature->metrics.end(), is_it);
  };
  const auto found = std::find_if(features().begin(), features().end(), has_it);
  return found == features().end() ? nullptr : *found;
}

bool is_neutral(const Metric& metric) {
  const MetricInfo& info = metric_info(metric);
  return is_known(info) && info.better == Better::kNeither;
}

bool is_of_one_video(const Metric& metric) {
  const FeatureInfo* const feature = feature_of_metric(metric);
  return feature != nullptr && !compares_videos(*feature, OptionSet(feature->options));
}

std::string title_of(const Metric& metric) {
  if (!metric.model.empty()) {
    const bool is_own = model::find_entry(metric.model) == nullptr && metric.name != model::kDefaultName;
    return is_own ? metric.name : model::score_title(metric.model);
  }
  const std::string_view title = metric_info(metric).title;
  return title.empty() ? metric.name : std::string(title);
}

std::string purpose_of(const Metric& metric) {
  const std::string purpose = model::score_purpose(metric.model);
  return purpose.empty() ? "" : title_of(metric) + ": " + purpose;
}

std::string base_name(const Metric& metric) {
  const std::string_view name = metric_info(metric).name;
  return name.empty() ? metric.name : std::string(name);
}

bool is_model_score(const Metric& metric) {
  return model_part(metric_info(metric)) == ModelPart::kScore;
}

std::vector<size_t> speaking_order(std::span<const Metric> metrics) {
  const auto place = [&](size_t i) {
    const Metric& metric = metrics[i];
    return (is_neutral(metric) ? 3 : 0) + (is_model_score(metric) ? 0 : metric.is_inner ? 2 : 1);
  };
  std::vector<size_t> order(metrics.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return place(a) < place(b); });
  return order;
}

size_t leading_metric(std::span<const Metric> metrics) {
  return metrics.empty() ? 0 : speaking_order(metrics).front();
}

}  // namespace vq
