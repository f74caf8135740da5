#include <cmath>

#include "core/error.h"
#include "engine/models/model.h"
#include "engine/models/model_spec.h"
#include "tests/fuzz/target.h"

namespace vq::fuzz {
namespace {

// What is taken for a model scores any values, by each of its models.
void check_models(const std::vector<model::Model>& models) {
  require(!models.empty(), "a file has a model");
  for (const double value : {0.0, 1.0, -1e300}) {
    std::vector<std::vector<double>> values;
    for (const model::Model& one : models) values.emplace_back(one.features.size(), value);
    const model::FrameScores scores = model::predict(models, values);
    require(
        models.size() < 2 ? scores.of_collection.empty() : scores.of_collection.size() == models.size() + 3,
        "a collection has a score for each model, and four more");
    const auto& clip = models.front().clip;
    const bool is_within =
        !clip || std::isnan(scores.score) || (clip->first <= scores.score && scores.score <= clip->second);
    require(is_within, "a score is clipped");
  }
}

void check_spec(const std::string& text) {
  const model::ModelSpec spec = model::parse_model_spec(text);
  require(model::parse_model_spec(model::text_of(spec)) == spec, "the text of a model reads back");
  check_message(model::source_of(spec));
}

}  // namespace

void run_models(std::span<const uint8_t> bytes) {
  const std::string text(bytes.begin(), bytes.end());
  try {
    check_models(model::parse_models(text, "model"));
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kInput, "a bad model is an input error");
    check_message(error.what());
  }
  try {
    check_spec(text);
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kUsage, "a bad --model is a usage error");
    check_message(error.what());
  }
}

}  // namespace vq::fuzz
