// A model: predicts a score from the features of a frame.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vq::model {

// Support vector regression: a model's raw score, before it is transformed.

// A nu-SVR with a radial kernel.
class Svr {
 public:
  // Reads libsvm's format. Throws Error{kInput} that says what is wrong.
  static Svr parse(std::string_view text);

  // The sum over the support vectors, in their order, less rho; `x` are the inputs from 1 on. Summed one by
  // one in double, so that the last bit equals the reference's.
  double predict(std::span<const double> x) const;

  size_t inputs() const { return inputs_; }  // number of values of a vector

 private:
  double gamma_ = 0, rho_ = 0;
  size_t inputs_ = 0;
  std::vector<double> coefficients_;
  std::vector<double> vectors_;  // inputs_ values per vector; values that the text omits are 0
};

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

// Prediction of a frame's scores from the metrics of its features.

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

// Model files, in the JSON form of the reference tool.

// A number in a model, or in a command line, as the text of a feature's option: rounded to 32 bits, six
// digits. Other text is unchanged.
std::string option_number(std::string_view text);

// One model, or a collection: its full model first, then those of the bootstrap. Throws Error{kInput} that
// begins with `name` and says if the text is no model.
std::vector<Model> parse_models(std::string_view json, const std::string& name);

// The models of a file. Throws Error{kInput}.
std::vector<Model> read_models(const std::string& path);

}  // namespace vq::model
