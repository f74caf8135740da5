// The reference tool's models through the program: every score and feature of the golden runs, and its
// reports byte for byte. Models over features that the tests choose, so that what is tested is what becomes
// of them.
#include "tests/support/golden_cases.h"
#include "tests/support/synthetic_model.h"

namespace vq::cli::test {
namespace {

const char* const kCambi = "Cambi_feature_cambi_score";

class ModelsProgram : public FolderTest {
 protected:
  std::string model(const std::string& name, const json& content) const { return made(name, content.dump()); }

  static std::vector<std::string> pair() {
    return {"-r",          testdata("clips/sky_640x360_8b_ref.mp4"),
            "-d",          testdata("clips/sky_640x360_8b.mp4"),
            "--frame_cnt", "3"};
  }

  static ProgramResult run(const Words& words, const Words& more) { return run_program(joined(words, more)); }

  // The report of a run with these words.
  json report(const Words& words) {
    const std::string file = in_folder("report.json");
    const ProgramResult result = run(joined(pair(), {"-q", "--precision", "max", "-o", file}), words);
    EXPECT_EQ(result.code, 0) << result.err;
    err_ = result.err;
    return result.code == 0 ? read_json(file) : json();
  }

  static std::vector<std::string> metrics_of(const std::string& csv) {
    const auto names = vq::split(std::string_view(csv).substr(0, csv.find('\n')), ',');
    return {names.begin() + 1, names.end()};
  }

  // In the order of the report.
  std::vector<std::string> metrics(const Words& words) {
    const ProgramResult result = run(joined(pair(), {"-q", "--csv", "-o", "-"}), words);
    EXPECT_EQ(result.code, 0) << result.err;
    err_ = result.err;
    return metrics_of(result.out);
  }

  ProgramResult failing(const Words& words) { return run(pair(), words); }

  std::string err_;
};

TEST_F(ModelsProgram, ScoresFromTheFeaturesThatItAsksFor) {
  const std::string file =
      model("m.json", synthetic_model({"psnr_y", kCambi}, {json::object(), {{"cambi_max_val", 5}}}));
  const json found = report({"-m", "path=" + file});
  ASSERT_EQ(found.at("frames").size(), 3U);
  for (const json& frame : found.at("frames")) {
    const json& metrics = frame.at("metrics");
    const double values[] = {metrics.at("psnr_y"), metrics.at("cambi_cmxv_5")};
    EXPECT_LT(synthetic_score(values), 90);
    EXPECT_EQ(metrics.at("vmaf").get<double>(), synthetic_score(values));
  }
}

TEST_F(ModelsProgram, TheClipIsLeftOutWhereThatIsSaid) {
  const std::string file = model("m.json", synthetic_model({kCambi}));
  const json found = report({"-m", "path=" + file, "-m", "path=" + file + ":name=free:disable_clip"});
  const json& metrics = found.at("frames")[0].at("metrics");
  const double value[] = {metrics.at("cambi")};
  EXPECT_EQ(metrics.at("vmaf"), 90);
  EXPECT_EQ(metrics.at("free").get<double>(), synthetic_score(value));
}

TEST_F(ModelsProgram, FeaturesThatAreEqualAreOne) {
  const std::string a = model("a.json", synthetic_model({"psnr_y", kCambi}));
  const std::string b = model("b.json", synthetic_model({kCambi}, {{{"cambi_max_val", 5}}}));
  EXPECT_THAT(
      metrics({"-m", "path=" + b + ":name=b", "-m", "path=" + a + ":name=a", "-m",
               "path=" + a + ":name=again", "--feature", "cambi", "--feature", "cambi=window_size=33"}),
      ElementsAre("cambi_cmxv_5", "psnr_y", "psnr_cb", "psnr_cr", "cambi", "cambi_ws_33", "b", "a", "again"));
  EXPECT_EQ(err_, "");
}

TEST_F(ModelsProgram, OptionsOnTheCommandLineWinOverTheFiles) {
  const std::string file =
      model("m.json", synthetic_model({kCambi}, {{{"cambi_max_val", 5}, {"unknown", 1}}}));
  EXPECT_THAT(metrics({"-m", "path=" + file + ":cambi.cambi_max_val=7.0:cambi.window_size=33"}),
              ElementsAre("cambi_cmxv_7_ws_33", "vmaf"));
  EXPECT_THAT(
      metrics({"-m", "path=" + file + ":cambi.enc_width=auto:cambi.enc_height=auto:cambi.enc_bitdepth=auto",
               "--scale-to", "1280x720"}),
      ElementsAre("cambi_cmxv_5_encbd_8_ench_360_encw_640", "vmaf"));
}

TEST_F(ModelsProgram, FlagsChangeAModelOnlyWhereNoFeatureOfTheCommandLineHasThem) {
  const std::string file = model("m.json", synthetic_model({kCambi}));
  const json alone = report({"-m", "path=" + file});
  const json beside = report({"-m", "path=" + file, "--feature", "cambi", "--topk", "0.3"});
  EXPECT_EQ(err_, "");
  EXPECT_EQ(beside.at("frames")[0].at("metrics").at("vmaf"), alone.at("frames")[0].at("metrics").at("vmaf"));
  EXPECT_TRUE(beside.at("frames")[0].at("metrics").contains("cambi_topk_0.3"));
  const std::vector<std::string> changed = {"cambi_topk_0.3", "psnr_y", "psnr_cb", "psnr_cr", "vmaf"};
  EXPECT_EQ(metrics({"-m", "path=" + file, "--feature", "psnr", "--topk", "0.3"}), changed);
  metrics({"-m", "path=" + file, "--topk", "0.6"});
  EXPECT_EQ(err_, "");
}

TEST_F(ModelsProgram, WhatAModelIsNotMeantForIsInTheReport) {
  const auto unsuited = [&](const Words& words) {
    const Words more = {"-m", "version=vmaf_v1.0.16_3d0h", "--extended", "--frame_cnt", "1"};
    return report(joined(words, more)).at("run").at("models")[0].at("unsuited");
  };
  EXPECT_THAT(unsuited({}).get<std::string>(),
              AllOf(HasSubstr("640x360"), HasSubstr("Try: version=vmaf_v1.0.16_3d0h:scaled")));
  EXPECT_EQ(unsuited({"--scale-to", "1920x1080"}), nullptr);
}

// The figures that libvmaf gives a pair which somebody has scaled for it; other features see the videos as
// they are.
TEST_F(ModelsProgram, AutoScoresTheDisplay) {
  const json found = report({"-m", "auto", "--feature", "psnr", "--extended"});
  EXPECT_EQ(found.at("run").at("models")[0].at("scored_at"), "1920x1080@10");
  EXPECT_EQ(found.at("run").at("models")[0].at("unsuited"), nullptr);
  const json scaled = report(
      {"-m", "version=vmaf_v1.0.16_3d0h:cambi.enc_width=auto:cambi.enc_height=auto:cambi.enc_bitdepth=auto",
       "--scale-to", "1920x1080", "--score-bits", "10"});
  const json plain = report({"--feature", "psnr"});
  for (size_t i = 0; i < 3; ++i) {
    const json& metrics = found.at("frames")[i].at("metrics");
    for (const auto& [name, value] : scaled.at("frames")[i].at("metrics").items())
      EXPECT_EQ(metrics.at(name), value) << name;
    for (const auto& [name, value] : plain.at("frames")[i].at("metrics").items())
      EXPECT_EQ(metrics.at(name), value) << name;
  }
}

TEST_F(ModelsProgram, ScoresOfTwoModelsAreNotTakenForEachOther) {
  const std::string a = model("a.json", synthetic_model({"psnr_y"})),
                    b = model("b.json", synthetic_model({kCambi}));
  const json plain = report({"-m", "path=" + a});
  EXPECT_EQ(plain.at("models"), (json{{"vmaf", a}}));
  write_file(in_folder("old.json"), plain.dump());
  const ProgramResult other =
      failing({"-m", "path=" + b, "--baseline", in_folder("old.json"), "--fail-below", "vmaf:mean<-1"});
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.err, AllOf(HasSubstr(a), HasSubstr(b)));
  EXPECT_EQ(
      failing({"-m", "path=" + a, "--baseline", in_folder("old.json"), "--fail-below", "vmaf:mean<-1"}).code,
      0);
  report({"-m", "path=" + b});
  const ProgramResult ranked = run_program({"compare", in_folder("old.json"), in_folder("report.json")});
  EXPECT_EQ(ranked.code, 3);
  EXPECT_THAT(ranked.err, AllOf(HasSubstr(a), HasSubstr(b)));
  // Reports that do not say their models have what these score from.
  json unsaid = plain;
  unsaid.erase("models");
  write_file(in_folder("old.json"), unsaid.dump());
  EXPECT_EQ(
      failing({"-m", "path=" + b, "--baseline", in_folder("old.json"), "--fail-below", "vmaf:mean<-1"}).code,
      3);
  EXPECT_EQ(
      failing({"-m", "path=" + a, "--baseline", in_folder("old.json"), "--fail-below", "vmaf:mean<-1"}).code,
      0);
}

TEST_F(ModelsProgram, CalledVmafItScoresTheModelThatVmafDoes) {
  const auto scored = [&](const Words& more) {
    return metrics_of(
        run_well(joined(joined(pair(), {"-q", "--csv", "-o", "-"}), more), {.name = "some/where/vmaf"}).out);
  };
  EXPECT_EQ(scored({}), metrics({"-m", "version=vmaf_v0.6.1"}));
  EXPECT_EQ(scored({"--feature", "psnr"}), metrics({"-m", "version=vmaf_v0.6.1", "--feature", "psnr"}));
  EXPECT_EQ(scored({"-n", "--feature", "psnr"}), metrics({"--feature", "psnr"}));
  EXPECT_EQ(scored({"-m", "version=vmaf_v0.6.1neg"}), metrics({"-m", "neg"}));
  // It has no subcommands, so that this is a file.
  EXPECT_EQ(run_program({"compare"}, {.name = "vmaf"}).code, 1);
}

TEST_F(ModelsProgram, ACollectionAddsWhatItsModelsSay) {
  json models = json::object();
  for (int i = 0; i < 3; ++i) {
    json one = synthetic_model({"psnr_y"});
    one["model_dict"]["model_type"] = "BOOTSTRAP_LIBSVMNUSVR";
    one["model_dict"]["norm_type"] = "linear_rescale";
    one["model_dict"]["slopes"] = {1, 1 + 0.1 * i};
    one["model_dict"]["intercepts"] = {0, 0};
    models[std::to_string(i)] = one;
  }
  const std::string file = model("m.json", models);
  const json found = report({"-m", "path=" + file + ":name=boot", "--extended"});
  const json& metrics = found.at("frames")[0].at("metrics");
  const double y = metrics.at("psnr_y"), first = 1.1 * y, second = 1.2 * y;
  const double plain[] = {y}, one[] = {first}, two[] = {second};
  const double a = synthetic_score(one), b = synthetic_score(two), mean = (a + b) / 2;
  EXPECT_NEAR(metrics.at("boot"), synthetic_score(plain), 1e-12);
  EXPECT_NEAR(metrics.at("boot_0001"), a, 1e-12);
  EXPECT_NEAR(metrics.at("boot_0002"), b, 1e-12);
  EXPECT_NEAR(metrics.at("boot_bagging"), mean, 1e-12);
  EXPECT_NEAR(metrics.at("boot_stddev"), (a - b) / 2, 1e-9);
  EXPECT_NEAR(metrics.at("boot_ci_p95_lo"), b + 0.025 * (a - b), 1e-9);
  EXPECT_NEAR(metrics.at("boot_ci_p95_hi"), b + 0.975 * (a - b), 1e-9);
  EXPECT_EQ(found.at("run").at("models"), (json{{{"name", "boot"},
                                                 {"source", file},
                                                 {"metrics", {"psnr_y"}},
                                                 {"scored_at", nullptr},
                                                 {"unsuited", nullptr}}}));
}

// As that of the features: sums here are in another order where no bit of a result depends on it but CAMBI's.
constexpr double kTolerance = 1e-8;

const json& model_golden_cases() {
  static const json kCases = [] {
    std::ifstream file(testdata("golden/vmaf.json"));
    return json::parse(file).at("cases");
  }();
  return kCases;
}

std::vector<std::string> words_of(const json& golden, const std::string& report) {
  const std::string clips = testdata("clips/"), file = golden.at("model");
  std::string model = "version=" + file.substr(0, file.rfind(".json"));
  for (const std::string part : golden.at("model_args")) model += ":" + part;
  std::vector<std::string> words = {"-r",          clips + golden.at("reference").get<std::string>(),
                                    "-d",          clips + golden.at("distorted").get<std::string>(),
                                    "-m",          model,
                                    "-q",          "--align",
                                    "off",         "--as-stored",
                                    "--frame_cnt", std::to_string(golden.at("frames").size()),
                                    "--precision", "max",
                                    "-o",          report};
  if (golden.contains("bits")) words.insert(words.end(), {"--score-bits", golden.at("bits").dump()});
  if (golden.contains("skip_reference"))
    words.insert(words.end(), {"--frame_skip_ref", golden.at("skip_reference").dump()});
  words.emplace_back("--compare-anyway");  // some pairs do not show the same pictures
  return words;
}

void expect_golden(const json& golden) {
  const TemporaryFolder folder;
  const std::vector<std::string> words = words_of(golden, folder.path() + "/r.json");
  const ProgramResult result = run_program(words);
  ASSERT_EQ(result.code, 0) << result.err << "\n" << ::testing::PrintToString(words);
  const json report = read_json(folder.path() + "/r.json");
  ASSERT_EQ(report.at("frames").size(), golden.at("frames").size());
  for (size_t i = 0; i < golden.at("frames").size(); ++i) {
    expect_same(report.at("frames")[i].at("metrics"), golden.at("frames")[i],
                ::testing::PrintToString(words) + ", frame " + std::to_string(i), kTolerance);
  }
  for (const auto& [name, pooled] : golden.at("pooled").items()) {
    expect_same(report.at("pooled_metrics").at(name), pooled,
                ::testing::PrintToString(words) + ", pooled " + name, kTolerance);
  }
}

// Of each model the first cases of small pictures, and some that have options or depths of their own.
TEST(ModelsGolden, SomeCasesEqualTheReference) {
  constexpr int kOfEachModel = 2;
  constexpr size_t kOfAll = 37;
  std::map<std::string, int> count;
  for (size_t i = 0; i < model_golden_cases().size(); ++i) {
    const json& golden = model_golden_cases()[i];
    const bool is_small = golden.at("distorted").get<std::string>().find("_640x360_") != std::string::npos;
    if ((is_small && count[golden.at("model")]++ < kOfEachModel) || i % kOfAll == 0) expect_golden(golden);
  }
}

TEST(ModelsGoldenOfEverySize, EqualTheReference) {
  EXPECT_EQ(model_golden_cases().size(), 398U);
  for (const json& golden : model_golden_cases()) expect_golden(golden);
}

struct ModelSample {
  std::string name;
  int frames;
  std::vector<std::string> words;
};

std::vector<std::string> words_of(const ModelSample& sample) {
  const std::string clips = testdata("clips/"), distorted = clips + "sky_640x360_8b.mp4";
  return joined({"-r", sample.name == "vmaf/infinite" ? distorted : clips + "sky_640x360_8b_ref.mp4", "-d",
                 distorted, "-q", "--frame_cnt", std::to_string(sample.frames)},
                sample.words);
}

// What is expected to differ: the version, the speed, and that JSON ends with the models.
std::string comparable_models(const std::string& text) {
  static const std::regex kVersion("version=?\"?:? ?\"[^\"]*\""), kFps("fps=?\"?:? ?\"?[0-9.]+\"?"),
      kModels(",\n  \"models\": \\{[^}]*\\}");
  return std::regex_replace(std::regex_replace(std::regex_replace(text, kVersion, "version"), kFps, "fps"),
                            kModels, "");
}

TEST(ModelsReports, AreTheReferenceToolsByteForByte) {
  const std::vector<ModelSample> samples = {
      {"vmaf/v0.6.1", 6, {"-m", "version=vmaf_v0.6.1"}},
      {"vmaf/v1", 6, {"-m", "version=vmaf_v1.0.16_3d0h"}},
      {"vmaf/bootstrap", 2, {"-m", "version=vmaf_b_v0.6.3:name=boot"}},
      {"vmaf/psnr_ssim",
       3,
       {"-n", "--feature", "psnr=enable_apsnr=true:enable_mse=true", "--feature",
        "float_ssim=enable_lcs=true"}},
      {"vmaf/two_models_and_features",
       3,
       {"-m", "version=vmaf_v0.6.1", "-m", "version=vmaf_v0.6.1neg:name=neg", "--feature", "psnr",
        "--feature", "float_ssim", "--feature", "adm", "--feature", "psnr=enable_mse=true"}},
      {"vmaf/infinite",
       2,
       {"-n", "--feature", "psnr_hvs", "--feature", "ciede", "--feature",
        "psnr=enable_apsnr=true:enable_chroma=false"}},
      {"vmaf/subsample_2",
       6,
       {"-m", "version=vmaf_v0.6.1", "--subsample", "2", "--feature", "psnr=enable_apsnr=true"}},
      {"full_ref_enc_480x270", 12, {"-n", "--feature", "cambi=full_ref=true:enc_width=480:enc_height=270"}},
      {"subsample_4", 12, {"-n", "--feature", "cambi", "--subsample", "4"}},
      {"two_features_skip_3_count_4",
       4,
       {"-n", "--feature", "cambi=topk=0.3:eotf=pq", "--feature", "cambi=window_size=33", "--frame_skip_ref",
        "3", "--frame_skip_dist", "3"}},
  };
  for (const ModelSample& sample : samples) {
    const TemporaryFolder folder;
    std::vector<std::string> words = words_of(sample);
    for (const char* form : {"json", "xml", "csv", "sub"})
      words.insert(words.end(), {"-o", folder.path() + "/r." + form});
    const ProgramResult result = run_program(words);
    ASSERT_EQ(result.code, 0) << sample.name << ": " << result.err;
    for (const char* form : {"json", "xml", "csv", "sub"}) {
      const std::string expected = read_file(testdata("golden/reports/") + sample.name + "." + form);
      ASSERT_FALSE(expected.empty());
      EXPECT_EQ(comparable_models(read_file(folder.path() + "/r." + form)), comparable_models(expected))
          << sample.name << "." << form;
    }
  }
}

// The reference tool puts some metrics first under --threads; here the order is always the same, and the
// figures are.
TEST(ModelsReports, HaveTheSameFiguresWithThreads) {
  const ModelSample sample = {"same_with_threads",
                              3,
                              {"-m", "version=vmaf_v0.6.1", "-m", "version=vmaf_v0.6.1neg:name=neg",
                               "--threads", "2", "--feature", "psnr", "--feature", "float_ssim"}};
  const TemporaryFolder folder;
  const Words outputs = {"-o", folder.path() + "/r.json", "-o", folder.path() + "/r.csv"};
  ASSERT_EQ(run_program(joined(words_of(sample), outputs)).code, 0);
  const json found = read_json(folder.path() + "/r.json");
  const json expected = read_json(testdata("golden/reports/vmaf/same_with_threads.json"));
  EXPECT_EQ(found.at("frames"), expected.at("frames"));
  EXPECT_EQ(found.at("pooled_metrics"), expected.at("pooled_metrics"));
  const std::string without = read_file(testdata("golden/reports/vmaf/two_models_and_features.csv"));
  EXPECT_EQ(read_file(folder.path() + "/r.csv"), without);
}

}  // namespace
}  // namespace vq::cli::test
