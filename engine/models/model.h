// A model: predicts a score from the features of a frame.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/models/svr.h"

namespace vq::model {

// A feature that a model requests.
struct FeatureOptionRequest {
  std::string full_name = {};  // the reference tool's internal name
  std::map<std::string, std::string> options = {};
  bool operator==(const FeatureOptionRequest&) const = default;
};

// Changes to a score before it is clipped: a polynomial, lines between knots, and bounds that depend on its
// former value.
struct Transform {
  bool is_enabled = false;
  std::optional<double> p0 = {}, p1 = {}, p2 = {};
  std::vector<std::pair<double, double>> knots = {};  // x ascends, y does not descend; none, or at least two
  bool at_most_input = false, at_least_input = false;
};

struct Model {
  std::vector<FeatureOptionRequest> features = {};
  bool rescales = false;
  // For models that rescale: of the score, then of each feature.
  std::vector<double> slopes = {}, intercepts = {};
  Svr svr = {};
  std::optional<Transform> transform = {};
  std::optional<std::pair<double, double>> clip = {};
  // For pictures without information in the chroma: the luma's values are used for it, with the factor and
  // the features concerned.
  struct ChromaFromLuma {
    double factor = 0;
    size_t luma = 0, chroma = 0;
  };
  std::optional<ChromaFromLuma> chroma_from_luma = {};
};

// The score of a frame before transform and clip; `values` are the features', in the model's order.
double regress(const Model& model, std::span<const double> values);

// Transform, then clip.
double shape(const Model& model, double score);

}  // namespace vq::model
