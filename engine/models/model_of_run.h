// The models of a run and what they report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/models/model_features.h"
#include "engine/report/report.h"

namespace vq {

// A model of a run.
struct ModelOfRun {
  model::RequestedModel model;
  std::vector<size_t> places = {};  // of its features, among those of the run
  bool has_scores = true;           // false: its features are all that is wanted
};

// The model that asked for the feature at this place, as messages call it; empty where none did.
std::string model_that_asks(const std::vector<ModelOfRun>& models, size_t feature);

// The models' scores in the order of reports: one of each model, then what collections add. Empty for none.
std::vector<Metric> model_scores(const std::vector<ModelOfRun>& models);

// Of all features and models, in the order of reports. Scores have the place behind the last feature.
std::vector<MetricPlace> report_places(const std::vector<FeatureRequest>& features,
                                       const std::vector<ModelOfRun>& models);
std::vector<Metric> report_metrics(const std::vector<FeatureRequest>& features,
                                   const std::vector<ModelOfRun>& models);

// Where the inputs of the model come from: of each that a collection has, in its order. The features are as
// they are scored.
std::vector<std::vector<MetricPlace>> input_places(const ModelOfRun& model,
                                                   const std::vector<FeatureRequest>& features);

// The videos as the model sees them.
VideoFormats formats_of(const ModelOfRun& model, const std::vector<FeatureRequest>& features,
                        const VideoFormats& formats);

// A model for the extended report; features and formats are as they were scored, the frame rate is the
// reference's.
ModelFacts model_facts(const ModelOfRun& model, const std::vector<FeatureRequest>& features,
                       const VideoFormats& formats, std::optional<double> frame_rate);

}  // namespace vq
