#include "engine/report/metric_labels.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "engine/known_metrics.h"
#include "engine/models/model_scores.h"

namespace vq {

namespace {

// How names begin that only features of the reference tool have which this program lacks.
constexpr std::string_view kForeign[] = {"float_", "adm", "aim", "vif_scale", "motion", "VMAF_feature_"};

bool is_foreign(std::string_view metric) {
  return std::any_of(std::begin(kForeign), std::end(kForeign),
                     [&](std::string_view start) { return metric.starts_with(start); });
}

bool compares(const std::string& metric) {
  const FeatureInfo* const feature = feature_of_metric({metric, {}});
  return feature != nullptr && feature->needs_reference != nullptr &&
         feature->needs_reference(OptionSet(feature->options));
}

}  // namespace

std::vector<std::string> metric_labels(std::span<const Metric> metrics) {
  constexpr size_t kLong = 24;
  const bool has_score = std::any_of(metrics.begin(), metrics.end(), is_model_score);
  // A model's own metric does not share a label with one that was requested.
  std::map<std::pair<std::string_view, bool>, int> sharing;
  std::map<std::string, int> titled;
  for (const Metric& metric : metrics) {
    ++sharing[{metric_info(metric).name, metric.is_inner}];
    if (!metric.model.empty()) ++titled[title_of(metric)];
  }
  std::vector<std::string> labels;
  for (const Metric& metric : metrics) {
    if (!metric.model.empty()) {
      const std::string title = title_of(metric);
      labels.push_back(printable(titled[title] == 1 ? title : title + " (" + metric.name + ")"));
      continue;
    }
    const std::string_view plain = metric_info(metric).name;
    const bool is_short =
        !has_score || metric.name.size() <= kLong || plain.empty() || sharing[{plain, metric.is_inner}] > 1;
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

std::vector<std::string> scores_of_models(std::span<const std::string> metrics) {
  const auto is_unknown = [](const std::string& metric) {
    return !is_known(known_metric(metric)) && !is_foreign(metric);
  };
  const auto last = std::find_if_not(metrics.rbegin(), metrics.rend(), is_unknown).base();
  if (std::none_of(metrics.begin(), last, compares)) return {};
  std::vector<std::string> scores;
  for (auto metric = last; metric != metrics.end(); ++metric) {
    const auto is_part = [&](const std::string& score) { return metric->starts_with(score + "_"); };
    if (std::none_of(scores.begin(), scores.end(), is_part)) scores.push_back(*metric);
  }
  return scores;
}

}  // namespace vq
