#include "engine/models/model_of_run.h"

#include <algorithm>

#include "core/text.h"
#include "engine/models/catalogue.h"
#include "engine/models/model_spec.h"

namespace vq {

std::string model_that_asks(const std::vector<ModelOfRun>& models, size_t feature) {
  for (const ModelOfRun& model : models) {
    if (std::find(model.places.begin(), model.places.end(), feature) != model.places.end()) {
      return model::source_of(model.model.spec);
    }
  }
  return {};
}

namespace {

// As people call it: "VMAF v1", "VMAF v0.6.1".
std::string spoken_name(const std::string& source) {
  const model::CatalogueEntry* const entry = model::find_entry(source);
  if (entry == nullptr) return source;
  constexpr std::string_view kPrefix = "vmaf_";
  return "VMAF " + (entry->is_v1 ? "v1" : std::string(entry->model.substr(kPrefix.size())));
}

}  // namespace

std::string refusal_text(const std::vector<ModelOfRun>& models, size_t feature, const FeatureInfo& info,
                         std::string text) {
  const std::string model = model_that_asks(models, feature), own(info.name);
  if (model.empty()) return text;
  const std::string needs = words("; {} needs", own);
  const size_t place = text.find(needs);
  if (place != std::string::npos)
    return text.replace(place, needs.size(), words("; {} needs", spoken_name(model)));
  const bool has_stop = text.ends_with('.');
  if (has_stop) text.pop_back();
  return words("{} ({} needs {}){}", text, model, own, has_stop ? "." : "");
}

std::vector<Metric> model_scores(const std::vector<ModelOfRun>& models) {
  std::vector<Metric> scores, of_collections;
  for (const ModelOfRun& model : models) {
    if (!model.has_scores) continue;
    const std::string& own = model.model.spec.name;
    scores.push_back({.name = own,
                      .values = {},
                      .info = find_model_score(own, {&own, 1}),
                      .model = model::source_of(model.model.spec)});
    for (const std::string& name : model::collection_names(model.model)) {
      of_collections.push_back({name, {}, find_model_score(name, {&own, 1})});
    }
  }
  scores.insert(scores.end(), of_collections.begin(), of_collections.end());
  return scores;
}

std::vector<MetricPlace> report_places(const std::vector<FeatureRequest>& features,
                                       const std::vector<ModelOfRun>& models) {
  std::vector<MetricPlace> places = metric_places(features);
  size_t value = 0;
  for (const Metric& score : model_scores(models)) {
    places.push_back({.metric = score, .feature = features.size(), .value = value++});
  }
  return places;
}

std::vector<Metric> report_metrics(const std::vector<FeatureRequest>& features,
                                   const std::vector<ModelOfRun>& models) {
  std::vector<Metric> metrics;
  for (const MetricPlace& place : report_places(features, models)) metrics.push_back(place.metric);
  return metrics;
}

std::vector<std::vector<MetricPlace>> input_places(const ModelOfRun& model,
                                                   const std::vector<FeatureRequest>& features) {
  std::vector<std::vector<MetricPlace>> places;
  for (const std::vector<model::Input>& inputs : model.model.inputs) {
    places.emplace_back();
    for (const model::Input& input : inputs) {
      const size_t feature = model.places[input.feature];
      const FeatureRequest& request = features[feature];
      const std::string name = model::metric_of(input, request);
      const std::vector<Metric> metrics = metrics_of(request);
      const auto is_it = [&](const Metric& metric) { return metric.name == name; };
      const auto found = std::find_if(metrics.begin(), metrics.end(), is_it);
      places.back().push_back(
          {.metric = *found, .feature = feature, .value = static_cast<size_t>(found - metrics.begin())});
    }
  }
  return places;
}

VideoFormats formats_of(const ModelOfRun& model, const std::vector<FeatureRequest>& features,
                        const VideoFormats& formats) {
  return model.places.empty() ? formats : formats_of(features[model.places.front()], formats);
}

ModelFacts model_facts(const ModelOfRun& model, const std::vector<FeatureRequest>& features,
                       const VideoFormats& formats, std::optional<double> frame_rate) {
  ModelFacts facts{.name = model.model.spec.name, .source = model::source_of(model.model.spec)};
  for (const model::Input& input : model.model.inputs.front()) {
    facts.metrics.push_back(model::metric_of(input, features[model.places[input.feature]]));
  }
  const VideoFormat seen = formats_of(model, features, formats).distorted;
  const std::string at = model::encoding_text(seen);
  if (at != model::encoding_text(formats.distorted)) facts.scored_at = at;
  const model::CatalogueEntry* const entry = model::find_entry(model.model.spec.version);
  if (entry == nullptr) return facts;
  for (const std::string& line : model::expectations(*entry, seen, frame_rate)) {
    facts.unsuited += (facts.unsuited.empty() ? "" : ". ") + line;
  }
  return facts;
}

}  // namespace vq
