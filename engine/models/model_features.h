// What models ask of features, as requests of the registry.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/frame.h"
#include "engine/models/model.h"
#include "engine/models/model_spec.h"
#include "feature/feature.h"

namespace vq::model {

// An option that is to be filled from the video that is scored.
struct OpenOption {
  size_t feature = 0;  // place among RequestedModel::features
  std::string option = {};
};

// One input of a model: a metric of a feature.
struct Input {
  size_t feature = 0;       // place among RequestedModel::features
  std::string metric = {};  // as MetricInfo::name has it: without the options that differ
};

// A model, or a collection, with the features it needs.
struct RequestedModel {
  ModelSpec spec = {};
  std::shared_ptr<const std::vector<Model>> models = {};  // the full one first
  std::vector<FeatureRequest> features = {};  // each once, in the order in which they are asked for
  std::vector<OpenOption> open_options = {};
  std::vector<std::vector<Input>> inputs = {};  // of each of the models
};

// Loads the model and finds its features. Needs: spec.is_automatic is false. Throws Error: kUsage for a
// version that there is not, with the nearest one, and for an overload that does not fit, kInput for a file
// that is no model, kMismatch for a feature that this program does not compute.
RequestedModel request_model(const ModelSpec& spec);

// The two steps of this: a model as it was stored, or a collection, with the spec's flags, and what some such
// models ask for under its overloads. Throws as above.
std::vector<Model> load_models(const ModelSpec& spec);
RequestedModel request_models(const ModelSpec& spec, std::shared_ptr<const std::vector<Model>> models);

// What tells two instances of a feature apart: equal texts are one, whoever asks.
std::string instance_of(const FeatureRequest& request);

// The metric of an input, as a feature with these options reports it.
std::string metric_of(const Input& input, const FeatureRequest& request);

// Sets an open option from the video as it was encoded.
void fill(FeatureRequest& request, const std::string& option, const VideoFormat& encoded);

// "1920x1080@8", as flags take it.
std::string encoding_text(const VideoFormat& encoded);
// Sets all options that say how the video was encoded, of a feature that has some; what is set already stays.
void fill_encoding(FeatureRequest& request, const VideoFormat& encoded);

// Of a collection, what its scores are called that come behind those of all models: see FrameScores. Empty
// for a single model.
std::vector<std::string> collection_names(const RequestedModel& model);

}  // namespace vq::model
