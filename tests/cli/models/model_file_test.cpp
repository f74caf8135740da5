// Files that are models, and files that are none.
#include "cli/models/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/models/built_in.h"
#include "core/error.h"
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

std::string fault(const json& object) {
  try {
    parse_models(object.dump(), "m.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_THAT(error.what(), HasSubstr("m.json: not a model: "));
    return error.what();
  }
  return "none";
}

// Where one member of the model is another.
std::string fault_with(const char* key, const json& value) {
  json object = sample();
  object["model_dict"][key] = value;
  return fault(object);
}

TEST(ModelFile, HasWhatTheFileSays) {
  const std::vector<Model> models = parse_models(sample().dump(), "m.json");
  ASSERT_EQ(models.size(), 1U);
  const Model& model = models.front();
  EXPECT_TRUE(model.rescales);
  EXPECT_THAT(model.slopes, ElementsAre(0.5, 1, 2));
  EXPECT_EQ(model.features[0].full_name, "a");
  EXPECT_THAT(model.features[0].options, ElementsAre(Pair("gain", "1.23457"), Pair("lines", "1080"), Pair("small", "0.06"),
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
  EXPECT_THAT(fault({{"0", sample()}}), HasSubstr("neither a model nor a collection"));
}

TEST(ModelFile, SaysWhatIsWrong) {
  EXPECT_EQ(fault(sample()), "none");
  EXPECT_THAT(fault(json::array()), HasSubstr("no JSON object"));
  EXPECT_THAT(fault({{"model_dict", 1}}), HasSubstr("model_dict is no object"));
  EXPECT_THAT(fault_with("model_type", "RANDOMFOREST"), HasSubstr("model_type is \"RANDOMFOREST\""));
  EXPECT_THAT(fault_with("norm_type", "zscore"), HasSubstr("norm_type is \"zscore\""));
  EXPECT_THAT(fault_with("norm_type", nullptr), HasSubstr("has no norm_type"));
  EXPECT_THAT(fault_with("feature_names", json::array()), HasSubstr("list of 1 to 64 names"));
  EXPECT_THAT(fault_with("feature_names", json::array({1, 2})), HasSubstr("is no string"));
  EXPECT_THAT(fault_with("feature_opts_dicts", json::array({json::object()})), HasSubstr("as many objects"));
  EXPECT_THAT(fault_with("feature_opts_dicts", json::array({json::object(), {{"k", json::array()}}})), HasSubstr("k is no number"));
  EXPECT_THAT(fault_with("slopes", json::array({1, 2})), HasSubstr("slopes is no list of 3 numbers"));
  EXPECT_THAT(fault_with("slopes", json::array({0, 2, 3})), HasSubstr("slope of the score is 0"));
  EXPECT_THAT(fault_with("intercepts", json::array({1, 2, "x"})), HasSubstr("an element of intercepts is no number"));
  EXPECT_THAT(fault_with("score_clip", json::array({5, 1})), HasSubstr("ends before it begins"));
  EXPECT_THAT(fault_with("score_transform", json::array()), HasSubstr("score_transform is no object"));
  EXPECT_THAT(fault_with("score_transform", {{"out_lte_in", "yes"}}), HasSubstr("out_lte_in"));
  EXPECT_THAT(fault_with("score_transform", {{"knots", {{0, 1}, {0, 2}}}}), HasSubstr("knots do not ascend"));
  EXPECT_THAT(fault_with("score_transform", {{"knots", {{0, 2}, {1, 1}}}}), HasSubstr("knots do not ascend"));
  EXPECT_THAT(fault_with("score_transform", {{"knots", {{0, 2}}}}), HasSubstr("2 to 10 points"));
  EXPECT_THAT(fault_with("chroma_correction_parameter", 120), HasSubstr("one feature of the name adm3"));
  EXPECT_THAT(fault_with("model", "SV\n"), HasSubstr("svm_type is missing"));
  EXPECT_THAT(fault_with("feature_names", json::array({"a"})), HasSubstr("feature_opts_dicts"));
}

TEST(ModelFile, WhatIsNoJsonIsSaidWithItsPlace) {
  try {
    parse_models("{\"model_dict\": {", "m.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "m.json: not a model: no JSON at byte 17");
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
