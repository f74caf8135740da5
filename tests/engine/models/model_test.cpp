// What becomes of a score after the regression, and of chroma that says nothing.
#include "engine/models/model.h"
#include "engine/models/catalogue.h"
#include "tests/support/golden_text.h"
#include "tests/support/run_program.h"

namespace vq::model {
namespace {

Model shaped_by(const Transform& transform) {
  Model model;
  model.transform = transform;
  return model;
}

TEST(Model, LinesBetweenKnotsGoOnAtBothEnds) {
  const Model model = shaped_by({.is_enabled = true, .knots = {{0, 10}, {10, 30}, {20, 30}, {40, 70}}});
  EXPECT_EQ(shape(model, -5), 0);
  EXPECT_EQ(shape(model, 5), 20);
  EXPECT_EQ(shape(model, 10), 30);
  EXPECT_EQ(shape(model, 15), 30);
  EXPECT_EQ(shape(model, 30), 50);
  EXPECT_EQ(shape(model, 50), 90);
}

TEST(Model, BoundsAreByWhatTheScoreWas) {
  EXPECT_EQ(shape(shaped_by({.is_enabled = true, .p0 = 5, .p1 = 1, .at_most_input = true}), 10), 10);
  EXPECT_EQ(shape(shaped_by({.is_enabled = true, .p0 = -5, .p1 = 1, .at_least_input = true}), 10), 10);
  EXPECT_EQ(shape(shaped_by({.is_enabled = true, .p0 = 5, .p1 = 1, .at_least_input = true}), 10), 15);
}

TEST(Model, ClipsAfterTheTransform) {
  Model model = shaped_by({.is_enabled = true, .p1 = 10});
  model.clip.emplace(0, 100);
  EXPECT_EQ(shape(model, 11), 100);
  EXPECT_EQ(shape(model, -1), 0);
  EXPECT_EQ(shape(model, 5), 50);
}

TEST(Model, ChromaThatIsExactlyNothingIsTakenFromLuma) {
  const Svr sum =
      Svr::parse("svm_type nu_svr\nkernel_type rbf\ngamma 1\ntotal_sv 1\nrho 0\nSV\n1 1:0 2:0 \n");
  Model model{.features = {{"adm3"}, {"speed_chroma"}}, .svr = sum};
  model.chroma_from_luma = {.factor = 4, .luma = 0, .chroma = 1};
  const double without[] = {0.75, 0}, with[] = {0.75, 1e-9};
  EXPECT_EQ(regress(model, without), std::exp(-(0.75 * 0.75 + 1.0 * 1.0)));  // 4 * (1 - 0.75)
  EXPECT_EQ(regress(model, with), std::exp(-(0.75 * 0.75 + 1e-18)));
}

// The reference tool's scores, from the features that it found.

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

// Support vectors: an example to check by hand, and texts that are none.

const std::string kHead =
    "svm_type nu_svr\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho -1.5\nSV\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(Svr, AnAbsentIndexIsZeroOnEitherSide) {
  const Svr svr = Svr::parse(kHead + "1 2:2 \n1 1:1 \n");
  const double three[] = {0, 2, 3}, one[] = {1};
  EXPECT_EQ(svr.predict(three), std::exp(-0.5 * 9) + std::exp(-0.5 * 14) + 1.5);
  EXPECT_EQ(svr.predict(one), std::exp(-0.5 * 5) + std::exp(-0.5 * 0.0) + 1.5);
}

TEST(Svr, LinesOfTheHeadStandInAnyOrder) {
  const Svr svr = Svr::parse("rho 2\ntotal_sv 1\ngamma 1\nkernel_type rbf\nsvm_type nu_svr\nSV\r\n3 1:0\r\n");
  const double x[] = {0};
  EXPECT_EQ(svr.predict(x), 1);
}

TEST(Svr, SaysWhatIsWrong) {
  const std::string good = kHead + "2 1:1 2:3 \n-4 2:1 \n";
  Svr::parse(good);
  vq::test::GoldenTexts golden("models/svr_refusals.txt");
  golden.add_refusals(ErrorKind::kInput, {""}, Svr::parse);
  const std::pair<const char*, const char*> changes[] = {{"nu_svr", "c_svc"},
                                                         {"rbf", "linear"},
                                                         {"gamma 0.5\n", ""},
                                                         {"rho -1.5\n", ""},
                                                         {"total_sv 2\n", ""},
                                                         {"total_sv 2", "total_sv 3"},
                                                         {"total_sv 2", "total_sv 1"},
                                                         {"total_sv 2", "total_sv 99999999999"},
                                                         {"gamma 0.5", "gamma nan"},
                                                         {"1:1 2:3", "2:1 1:3"},
                                                         {"1:1", "0:1"},
                                                         {"1:1", "65:1"},
                                                         {"1:1", "1;1"}};
  for (const auto& change : changes) {
    golden.add_refusal(std::string(change.first) + " -> " + change.second, ErrorKind::kInput,
                       [&] { Svr::parse(replaced(good, change.first, change.second)); });
  }
}

// Support vectors that would take more memory than any model needs.

// Vectors of 64 numbers, of which the text has but the last.
std::string vectors(int count) {
  std::string text =
      "svm_type nu_svr\nkernel_type rbf\ngamma 1\ntotal_sv " + std::to_string(count) + "\nrho 0\nSV\n";
  for (int i = 0; i < count; ++i) text += "1 64:1\n";
  return text;
}

TEST(SvrLimits, ASmallTextDoesNotTakeMuchMemory) {
  constexpr int kMost = (1 << 23) / 64;
  EXPECT_EQ(Svr::parse(vectors(1000)).inputs(), 64U);
  vq::test::expect_error(ErrorKind::kInput, {}, [] { Svr::parse(vectors(kMost + 1)); });
}

// Files that are models, and files that are none.

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
