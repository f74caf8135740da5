// A model: features of a frame in, a score out.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/models/svr.h"

namespace vq::model {

// A feature as a model asks for it.
struct FeatureOptionRequest {
  std::string full_name = {};  // as the reference tool names it inside
  std::map<std::string, std::string> options = {};
  bool operator==(const FeatureOptionRequest&) const = default;
};

// What becomes of a score before it is clipped: a polynomial, lines between knots, and bounds by what it was.
struct Transform {
  bool is_enabled = false;
  std::optional<double> p0 = {}, p1 = {}, p2 = {};
  std::vector<std::pair<double, double>> knots = {};  // x ascends, y does not descend; none or two and more
  bool at_most_input = false, at_least_input = false;
};

struct Model {
  std::vector<FeatureOptionRequest> features = {};
  bool rescales = false;
  // Where it rescales: of the score, then of each feature.
  std::vector<double> slopes = {}, intercepts = {};
  Svr svr = {};
  std::optional<Transform> transform = {};
  std::optional<std::pair<double, double>> clip = {};
  // Where chroma says nothing of a picture it is judged by its luma: the factor, and which features those
  // are.
  struct ChromaFromLuma {
    double factor = 0;
    size_t luma = 0, chroma = 0;
  };
  std::optional<ChromaFromLuma> chroma_from_luma = {};
};

// The score of a frame before transform and clip; `values` are those of the features, in the model's order.
double regress(const Model& model, std::span<const double> values);

// Transform, then clip.
double shape(const Model& model, double score);

}  // namespace vq::model
