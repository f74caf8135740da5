// SSIMULACRA 2 in the program: what reports say, RGB, other layouts, heatmaps and refusals.

#include "tests/support/report_test.h"

namespace vq::ssimulacra2::test {
namespace {

using cli::test::run_program;
using cli::test::run_well;
using cli::test::Words;
using nlohmann::json;

class Ssimulacra2Program : public cli::test::FolderTest {
 protected:
  cli::test::ProgramResult run(Words more) const {
    const std::string clips = testdata("clips/");
    Words words = {
        "-r", clips + "sky_640x360_8b_ref.mp4", "-d", clips + "sky_640x360_8b.mp4", "-q", "--backend", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  }
};

TEST_F(Ssimulacra2Program, MediumQualityAndLessIsNoteworthy) {
  const std::string clips = testdata("clips/");
  const auto result = run_program({"-r", clips + "sky_640x360_8b_ref.mp4", "-d", clips + "sky_640x360_8b.mp4",
                                   "--frame_cnt", "1", "--feature", "ssimulacra2"});
  EXPECT_THAT(result.out, HasSubstr("frames <= 50"));
}

TEST_F(Ssimulacra2Program, TheReportSaysHowVideosWereRead) {
  const auto result =
      run({"--feature", "ssimulacra2=transfer=srgb", "--extended", "-o", in_folder("run.json")});
  ASSERT_EQ(result.code, 0) << result.err;
  const json report = cli::test::read_json(in_folder("run.json"));
  const json input = report.at("run").at("features").at(0).at("input");
  const json expected = {{"chroma", "cubic"},    {"chroma_location", "left"}, {"matrix", "bt601"},
                         {"primaries", "bt709"}, {"range", "limited"},        {"transfer", "srgb"}};
  EXPECT_EQ(input, (json{{"distorted", expected}, {"reference", expected}}));
  EXPECT_TRUE(report.at("pooled_metrics").contains("ssimulacra2_transfer_srgb"));
}

// A report that is read and written again keeps it.
TEST_F(Ssimulacra2Program, ScoresCanBeWrittenAsFfvshipDoes) {
  ASSERT_EQ(run({"--feature", "ssimulacra2", "--feature", "psnr", "--subsample", "6", "--extended", "-o",
                 in_folder("run.json")})
                .code,
            0);
  const json report = cli::test::read_json(in_folder("run.json"));
  json expected = json::array();
  for (const json& frame : report.at("frames"))
    expected.push_back(json::array({frame.at("metrics").at("ssimulacra2")}));
  ASSERT_EQ(expected.size(), 2U);
  const auto lists =
      run_well({"report", in_folder("run.json"), "--as", "ffvship", "--metrics", "ssimulacra2"});
  EXPECT_EQ(json::parse(lists.out), expected);
  run_well({"report", in_folder("run.json"), "--as", "ffvship", "-o", in_folder("lists.json")});
  EXPECT_EQ(cli::test::read_json(in_folder("lists.json")).at(1).size(), 4U);
  const auto unknown = run_program({"report", in_folder("run.json"), "--as", "ffvship", "--metrics", "vmaf"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("ssimulacra2"));
  EXPECT_EQ(run_program({"report", in_folder("run.json"), "--as", "other"}).code, 1);
}

TEST_F(Ssimulacra2Program, ScoresCanBeWrittenAsAutoBoostReadsThem) {
  ASSERT_EQ(run({"--feature", "ssimulacra2", "--extended", "-o", in_folder("run.json")}).code, 0);
  const auto log = run_well({"report", in_folder("run.json"), "--as", "auto-boost"});
  EXPECT_TRUE(log.out.starts_with("skip: 1\n1: ")) << log.out;
  EXPECT_TRUE(log.out.ends_with("\n")) << log.out;
  const json report = cli::test::read_json(in_folder("run.json"));
  const json& frames = report.at("frames");
  std::istringstream lines(log.out);
  std::string line;
  std::getline(lines, line);
  for (size_t i = 0; i < frames.size(); ++i) {
    ASSERT_TRUE(std::getline(lines, line));
    const double score = frames[i].at("metrics").at("ssimulacra2");
    char expected[64];
    std::snprintf(expected, sizeof expected, "%zu: %.6f", i + 1, std::max(score, 0.0));
    EXPECT_EQ(line, expected);
  }
  EXPECT_FALSE(std::getline(lines, line));
  ASSERT_EQ(
      run({"--feature", "ssimulacra2", "--subsample", "6", "--extended", "-o", in_folder("run.json")}).code,
      0);
  const auto sampled = run_program({"report", in_folder("run.json"), "--as", "auto-boost"});
  EXPECT_EQ(sampled.code, 1);
  EXPECT_THAT(sampled.err, HasSubstr("--subsample"));
}

TEST_F(Ssimulacra2Program, RgbIsReadAsItIs) {
  const std::string rgb = testdata("formats/rgb24.nut");
  run_well({"-r", rgb, "-d", rgb, "--feature", "ssimulacra2", "--backend", "cpu", "--extended", "-q", "-o",
            in_folder("rgb.json")});
  const json report = cli::test::read_json(in_folder("rgb.json"));
  EXPECT_EQ(report.at("pooled_metrics").at("ssimulacra2").at("min"), 100);
  EXPECT_EQ(report.at("run").at("features").at(0).at("input").at("distorted"),
            (json{{"matrix", "rgb"}, {"primaries", "bt709"}, {"range", "full"}, {"transfer", "srgb"}}));
  EXPECT_EQ(report.at("run").at("notes").dump().find("converted"), std::string::npos);
}

TEST_F(Ssimulacra2Program, HeatmapsShowWhereTheScoreIsLost) {
  const auto result = run({"--feature", "ssimulacra2", "--heatmaps", in_folder("maps"), "--end", "1"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_FALSE(std::filesystem::is_empty(in_folder("maps")));
}

}  // namespace
}  // namespace vq::ssimulacra2::test
