// The features that models need, as requests of the registry, and what the models of a run score.
#pragma once

#include "core/frame.h"
#include "engine/models/model.h"
#include "engine/models/model_spec.h"
#include "engine/report/report.h"
#include "feature/feature.h"

namespace vq::model {

// An option whose value is taken from the scored video.
struct OpenOption {
  size_t feature = 0;  // index in RequestedModel::features
  std::string option = {};
};

// One input of a model: a metric of a feature.
struct Input {
  size_t feature = 0;       // index in RequestedModel::features
  std::string metric = {};  // as in MetricInfo::name: without option suffixes
};

// A model, or a collection, with the features it needs.
struct RequestedModel {
  ModelSpec spec = {};
  std::shared_ptr<const std::vector<Model>> models = {};  // the full one first
  std::vector<FeatureRequest> features = {};              // each once, in order of first use
  std::vector<OpenOption> open_options = {};
  std::vector<std::vector<Input>> inputs = {};  // for each of the models
};

// Loads the model and finds its features. Needs: spec.is_automatic is false. Throws Error: kUsage for an
// unknown version, with the nearest one, and for an overload that does not fit, kInput for a file that is no
// model, kMismatch for a feature that this program does not compute.
RequestedModel request_model(const ModelSpec& spec);

// The two steps of this: a model as it was stored, or a collection, with the spec's flags, and what such
// models request under its overloads. Throws as above.
std::vector<Model> load_models(const ModelSpec& spec);
RequestedModel request_models(const ModelSpec& spec, std::shared_ptr<const std::vector<Model>> models);

// Identity of a feature instance: instances with equal texts are computed once, whoever requests them.
std::string instance_of(const FeatureRequest& request);

// The metric of an input, as a feature with these options reports it.
std::string metric_of(const Input& input, const FeatureRequest& request);

// The model that takes luma alone and almost any size; empty if it cannot score these videos.
std::string model_of_others(const VideoFormats& formats);

// Sets an open option from the video as it was encoded. Throws Error{kMismatch} for a video that it does not
// allow.
void fill(FeatureRequest& request, const std::string& option, const VideoFormat& encoded);

// "1920x1080@8", as in flags.
std::string encoding_text(const VideoFormat& encoded);
// Sets all options for the encoded size and depth that are not set yet, if the feature has any. Throws as
// fill().
void fill_encoding(FeatureRequest& request, const VideoFormat& encoded);

// Names of the additional scores of a collection, which follow those of all models: see FrameScores. Empty
// for a single model.
std::vector<std::string> collection_names(const RequestedModel& model);

}  // namespace vq::model

namespace vq {

// The models of a run and their reported scores.

// A model of a run.
struct ModelOfRun {
  model::RequestedModel model;
  std::vector<size_t> places = {};  // indices of its features in the run
  bool has_scores = true;           // false: only its features are reported
};

// The model that requested the feature with this index, as messages call it; empty if none did.
std::string model_that_asks(const std::vector<ModelOfRun>& models, size_t feature);

// Refusal by the feature with this index of videos that do not suit it, in the name of the model that
// requested it: "...; VMAF v1 needs both at one size."
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

// What the scores of each of these cannot leave. `formats`: as the videos are scored.
std::vector<ScoreEnds> score_ends(const std::vector<FeatureRequest>& features,
                                  const std::vector<ModelOfRun>& models, const VideoFormats& formats);

// The sources of the model's inputs, for each member of a collection in order. `features` are those of the
// run, settled.
std::vector<std::vector<MetricPlace>> input_places(const ModelOfRun& model,
                                                   const std::vector<FeatureRequest>& features);

// The videos as the model sees them.
VideoFormats formats_of(const ModelOfRun& model, const std::vector<FeatureRequest>& features,
                        const VideoFormats& formats);

// Facts of the models with scores for the extended report; features and formats are those of the run, the
// frame rate is the reference's.
std::vector<ModelFacts> model_facts(const std::vector<ModelOfRun>& models,
                                    const std::vector<FeatureRequest>& features, const VideoFormats& formats,
                                    std::optional<double> frame_rate);

// Facts of the features and of the backend that computed them.
RunFacts run_facts(const std::vector<FeatureRequest>& features, const VideoFormats& formats,
                   const BackendReport& backend);

}  // namespace vq
