// Prediction of a frame's scores from the metrics of its features.
#pragma once

#include <span>
#include <vector>

#include "engine/models/model.h"

namespace vq::model {

struct FrameScores {
  double score = 0;
  // For a collection, in the order of collection_names(); empty for a single model.
  std::vector<double> of_collection = {};
};

// `values`: those of each model's features, in its order.
FrameScores predict(std::span<const Model> models, std::span<const std::vector<double>> values);

// FrameScores::of_collection of models of the bootstrap alone. Needs: a model.
std::vector<double> predict_collection(std::span<const Model* const> models,
                                       std::span<const std::vector<double>> values);

}  // namespace vq::model
