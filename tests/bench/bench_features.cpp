#include "tests/bench/bench_features.h"

#include <algorithm>

#include "cli/commands/feature_spec.h"
#include "engine/models/catalogue.h"
#include "engine/models/model_features.h"

namespace vq::bench {
namespace {

void add(FeatureRequest request, std::vector<FeatureRequest>& all) {
  const auto is_same = [&](const FeatureRequest& known) {
    return model::instance_of(known) == model::instance_of(request);
  };
  if (std::none_of(all.begin(), all.end(), is_same)) all.push_back(std::move(request));
}

std::vector<FeatureRequest> features_of(const std::string& text, const VideoFormat& format) {
  model::ModelSpec spec = model::parse_model_spec(text);
  if (spec.is_automatic) spec.version = model::suited_model(format, {}).model;
  model::RequestedModel model = model::request_model(spec);
  for (const model::OpenOption& open : model.open_options)
    model::fill(model.features[open.feature], open.option, format);
  return std::move(model.features);
}

}  // namespace

std::vector<FeatureRequest> requested_features(const std::vector<std::string>& models,
                                               const std::vector<std::string>& features,
                                               const VideoFormat& format) {
  std::vector<FeatureRequest> all;
  for (const std::string& text : models) {
    for (FeatureRequest& request : features_of(text, format)) add(std::move(request), all);
  }
  for (const std::string& text : features) add(cli::parse_feature(text), all);
  const VideoFormats formats = {format, format};
  for (FeatureRequest& request : all) resolve(request, formats);
  return all;
}

}  // namespace vq::bench
