#include "engine/report/plain_models.h"

#include <algorithm>
#include <string_view>

#include "engine/known_metrics.h"

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
