// The reference tool's models through the program: every score and feature of the golden runs, and its
// reports byte for byte.

#include "tests/support/golden_cases.h"
#include "tests/support/synthetic_model.h"

namespace vq::cli::test {
namespace {

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
