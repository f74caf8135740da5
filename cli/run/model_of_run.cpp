#include "cli/run/model_of_run.h"

#include <algorithm>

namespace vq::cli {

std::string model_that_asks(const std::vector<ModelOfRun>& models, size_t feature) {
  for (const ModelOfRun& model : models) {
    if (std::find(model.places.begin(), model.places.end(), feature) != model.places.end()) {
      return model::source_of(model.model.spec);
    }
  }
  return {};
}

std::vector<std::string> score_names(const std::vector<ModelOfRun>& models) {
  std::vector<std::string> names, of_collections;
  for (const ModelOfRun& model : models) {
    if (!model.has_scores) continue;
    names.push_back(model.model.spec.name);
    for (std::string& name : model::collection_names(model.model)) of_collections.push_back(std::move(name));
  }
  names.insert(names.end(), of_collections.begin(), of_collections.end());
  return names;
}

std::vector<MetricPlace> report_places(const std::vector<FeatureRequest>& features, const std::vector<ModelOfRun>& models) {
  std::vector<MetricPlace> places = metric_places(features);
  size_t value = 0;
  for (std::string& name : score_names(models)) {
    places.push_back({.name = std::move(name), .feature = features.size(), .value = value++});
  }
  return places;
}

std::vector<std::string> report_names(const std::vector<FeatureRequest>& features, const std::vector<ModelOfRun>& models) {
  std::vector<std::string> names;
  for (MetricPlace& place : report_places(features, models)) names.push_back(std::move(place.name));
  return names;
}

std::vector<std::vector<MetricPlace>> input_places(const ModelOfRun& model, const std::vector<FeatureRequest>& features) {
  std::vector<std::vector<MetricPlace>> places;
  for (const std::vector<model::Input>& inputs : model.model.inputs) {
    places.emplace_back();
    for (const model::Input& input : inputs) {
      const size_t feature = model.places[input.feature];
      const FeatureRequest& request = features[feature];
      const std::string name = model::metric_of(input, request);
      const std::vector<std::string> names = request.info->metric_names(request.options);
      const auto value = static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
      places.back().push_back({.name = name, .feature = feature, .value = value});
    }
  }
  return places;
}

ModelFacts model_facts(const ModelOfRun& model, const std::vector<FeatureRequest>& features) {
  ModelFacts facts{.name = model.model.spec.name, .source = model::source_of(model.model.spec)};
  for (const model::Input& input : model.model.inputs.front()) {
    facts.metrics.push_back(model::metric_of(input, features[model.places[input.feature]]));
  }
  return facts;
}

}  // namespace vq::cli
