// The features that models need, as requests of the registry.
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
