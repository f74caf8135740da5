// Files that are models, and files that are none.
#include "engine/models/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "engine/models/catalogue.h"
#include "tests/support/golden_text.h"
#include "tests/support/run_program.h"

namespace vq::model {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

json sample() {
  return json::parse(R"({"param_dict": {"score_clip": null}, "model_dict": {
    "model_type": "LIBSVMNUSVR", "norm_type": "linear_rescale", "feature_names": ["a", "b"],
    "feature_opts_dicts": [{"wide": true, "gain": 1.2345678, "lines": 1080, "small": 0.06, "word": "x"}, {}],
    "slopes": [0.5, 1, 2], "intercepts": [0, 1, 2], "score_clip": [0, 100],
    "score_transform": {"p0": 1, "p1": null, "out_gte_in": "true"},
    "model": "svm_type nu_svr\nkernel_type rbf\ngamma 1\ntotal_sv 1\nrho 0\nSV\n1 1:0 2:1 \n"}})");
}

TEST(ModelFile, HasWhatTheFileSays) {
  const std::vector<Model> models = parse_models(sample().dump(), "m.json");
  ASSERT_EQ(models.size(), 1U);
  const Model& model = models.front();
  EXPECT_TRUE(model.rescales);
  EXPECT_THAT(model.slopes, ElementsAre(0.5, 1, 2));
  EXPECT_EQ(model.features[0].full_name, "a");
  EXPECT_THAT(model.features[0].options,
              ElementsAre(Pair("gain", "1.23457"), Pair("lines", "1080"), Pair("small", "0.06"),
                          Pair("wide", "true"), Pair("word", "x")));
  EXPECT_EQ(model.clip, std::pair(0.0, 100.0));
  ASSERT_TRUE(model.transform);
  EXPECT_FALSE(model.transform->is_enabled);
  EXPECT_EQ(model.transform->p0, 1);
  EXPECT_FALSE(model.transform->p1);
  EXPECT_TRUE(model.transform->at_least_input);
  EXPECT_FALSE(model.chroma_from_luma);
}

TEST(ModelFile, ACollectionHasItsModelsInOrder) {
  json other = sample();
  other["model_dict"]["slopes"][0] = 4;
  const json object = {{"0", sample()}, {"1", other}, {"3", sample()}, {"note", 1}};
  const std::vector<Model> models = parse_models(object.dump(), "m.json");
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[1].slopes[0], 4);
}

TEST(ModelFile, SaysWhatIsWrong) {
  vq::test::GoldenTexts golden("models/file_refusals.txt");
  const auto refuse = [&](const std::string& what, const std::string& text) {
    golden.add_refusal(what, ErrorKind::kInput, [&] { parse_models(text, "m.json"); });
  };
  refuse("{\"model_dict\": {", "{\"model_dict\": {");
  refuse("[]", "[]");
  refuse("{\"model_dict\": 1}", "{\"model_dict\": 1}");
  refuse("a collection of one", json({{"0", sample()}}).dump());
  // One member of the model is another.
  const std::pair<const char*, json> members[] = {
      {"model_type", "RANDOMFOREST"},
      {"norm_type", "zscore"},
      {"norm_type", nullptr},
      {"feature_names", json::array()},
      {"feature_names", json::array({1, 2})},
      {"feature_names", json::array({"a"})},
      {"feature_opts_dicts", json::array({json::object()})},
      {"feature_opts_dicts", json::array({json::object(), {{"k", json::array()}}})},
      {"slopes", json::array({1, 2})},
      {"slopes", json::array({0, 2, 3})},
      {"intercepts", json::array({1, 2, "x"})},
      {"score_clip", json::array({5, 1})},
      {"score_transform", json::array()},
      {"score_transform", {{"out_lte_in", "yes"}}},
      {"score_transform", {{"knots", {{0, 1}, {0, 2}}}}},
      {"score_transform", {{"knots", {{0, 2}, {1, 1}}}}},
      {"score_transform", {{"knots", {{0, 2}}}}},
      {"chroma_correction_parameter", 120},
      {"conversion_target", {{"bpc", 16}}},
      {"model", "SV\n"}};
  for (const auto& [key, value] : members) {
    json object = sample();
    object["model_dict"][key] = value;
    refuse(std::string(key) + ": " + value.dump(), object.dump());
  }
}

TEST(ModelFile, AFileThatCannotBeReadIsSaid) {
  const cli::test::TemporaryFolder folder;
  EXPECT_THROW(read_models(folder.path() + "/none.json"), Error);
  EXPECT_THROW(read_models(folder.path()), Error);
}

TEST(ModelFile, EveryBuiltInModelIsOne) {
  std::vector<std::string> names;
  for (const BuiltIn& file : built_in_models()) {
    names.emplace_back(file.name);
    const size_t count = parse_models(file.json, names.back()).size();
    EXPECT_EQ(count, names.back() == "vmaf_b_v0.6.3" ? 21U : 1U) << names.back();
  }
  EXPECT_EQ(names.size(), 13U);
  EXPECT_THAT(std::string(models_licence()), HasSubstr("Netflix"));
}

TEST(OptionNumber, GoesThroughSixDigitsOfAFloat) {
  EXPECT_EQ(option_number("1.2345678"), "1.23457");
  EXPECT_EQ(option_number("100.0"), "100");
  EXPECT_EQ(option_number("1e30"), "1e+30");
  EXPECT_EQ(option_number("1e300"), "1e300");
  EXPECT_EQ(option_number("auto"), "auto");
}

}  // namespace
}  // namespace vq::model
