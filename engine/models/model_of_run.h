// The models of a run and their reported scores.
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
  std::vector<size_t> places = {};  // indices of its features in the run
  bool has_scores = true;           // false: only its features are reported
};

// The model that requested the feature with this index, as messages call it; empty if none did.
std::string model_that_asks(const std::vector<ModelOfRun>& models, size_t feature);

// What the feature with this index says of videos that do not suit it, in the name of the model that
// requested it:
// "...; VMAF v1 needs both at one size."
std::string refusal_text(const std::vector<ModelOfRun>& models, size_t feature, const FeatureInfo& info,
                         std::string text);

// The models' scores in report order: one of each model, then the additions of collections. Empty if there
// are none.
std::vector<Metric> model_scores(const std::vector<ModelOfRun>& models);

// All metrics of features and models, in report order. Scores have the index after the last feature.
std::vector<MetricPlace> report_places(const std::vector<FeatureRequest>& features,
                                       const std::vector<ModelOfRun>& models);
std::vector<Metric> report_metrics(const std::vector<FeatureRequest>& features,
                                   const std::vector<ModelOfRun>& models);

// The sources of the model's inputs, for each member of a collection in order. `features` are those of the
// run, settled.
std::vector<std::vector<MetricPlace>> input_places(const ModelOfRun& model,
                                                   const std::vector<FeatureRequest>& features);

// The videos as the model sees them.
VideoFormats formats_of(const ModelOfRun& model, const std::vector<FeatureRequest>& features,
                        const VideoFormats& formats);

// Facts of a model for the extended report; features and formats are those of the run, the frame rate is the
// reference's.
ModelFacts model_facts(const ModelOfRun& model, const std::vector<FeatureRequest>& features,
                       const VideoFormats& formats, std::optional<double> frame_rate);

}  // namespace vq
