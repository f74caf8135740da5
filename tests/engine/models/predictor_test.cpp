// The reference tool's scores, from the features that it found.
#include "engine/models/predictor.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/models/built_in.h"
#include "engine/models/model_file.h"
#include "tests/support/paths.h"

namespace vq::model {
namespace {

using nlohmann::json;

// An exp() that errs by an ulp moves a score by less than a tenth of this.
constexpr double kTolerance = 1e-9;

std::vector<Model> models_of(const json& golden) {
  const std::string file = golden.at("model"), name = file.substr(0, file.rfind(".json"));
  std::vector<Model> models;
  for (const BuiltIn& built_in : built_in_models()) {
    if (built_in.name == name) models = parse_models(built_in.json, name);
  }
  for (const std::string argument : golden.at("model_args")) {
    for (Model& model : models) {
      if (argument == "disable_clip") model.clip.reset();
      if (argument == "enable_transform" && model.transform) model.transform->is_enabled = true;
    }
  }
  return models;
}

std::string name_of(const json& golden) {
  for (const std::string argument : golden.at("model_args")) {
    if (argument.starts_with("name=")) return argument.substr(5);
  }
  return "vmaf";
}

// The metric of a feature: the only one that begins like this.
double value_of(const json& frame, const std::string& full_name) {
  const size_t middle = full_name.find("_feature_"), start = middle + std::string("_feature_").size();
  const std::string bare = full_name.substr(start, full_name.size() - start - std::string("_score").size());
  const std::string metric = full_name.starts_with("VMAF_integer") ? "integer_" + bare : bare;
  for (const auto& [name, value] : frame.items()) {
    if (name == metric || name.starts_with(metric + "_")) return value.get<double>();
  }
  ADD_FAILURE() << "no " << metric;
  return 0;
}

std::vector<std::string> collection_names(const std::string& name, size_t count) {
  std::vector<std::string> names;
  for (size_t i = 1; i < count; ++i) names.push_back(name + (i < 10 ? "_000" : "_00") + std::to_string(i));
  for (const char* end : {"_bagging", "_stddev", "_ci_p95_lo", "_ci_p95_hi"}) names.push_back(name + end);
  return names;
}

TEST(PredictorGolden, EqualsTheReferenceForEveryBuiltInModel) {
  std::ifstream file(testdata("golden/vmaf.json"));
  const json cases = json::parse(file).at("cases");
  EXPECT_EQ(cases.size(), 398U);
  size_t scores = 0;
  for (const json& golden : cases) {
    const std::vector<Model> models = models_of(golden);
    ASSERT_FALSE(models.empty()) << golden.at("model");
    const std::string name = name_of(golden),
                      what = golden.at("model").dump() + " " + golden.at("distorted").dump();
    for (const json& frame : golden.at("frames")) {
      std::vector<std::vector<double>> values(models.size());
      for (size_t i = 0; i < models.size(); ++i) {
        for (const FeatureOptionRequest& request : models[i].features)
          values[i].push_back(value_of(frame, request.full_name));
      }
      const FrameScores found = predict(models, values);
      EXPECT_NEAR(found.score, frame.at(name).get<double>(), kTolerance) << what;
      ++scores;
      if (models.size() == 1) continue;
      const std::vector<std::string> names = collection_names(name, models.size());
      ASSERT_EQ(found.of_collection.size(), names.size());
      for (size_t k = 0; k < names.size(); ++k, ++scores) {
        EXPECT_NEAR(found.of_collection[k], frame.at(names[k]).get<double>(), kTolerance)
            << what << " " << names[k];
      }
    }
  }
  EXPECT_EQ(scores, 1751U);
}

}  // namespace
}  // namespace vq::model
