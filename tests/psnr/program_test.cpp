// PSNR in the program: beside CAMBI, under --subsample, against thresholds.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/support/report_test.h"
#include "tests/support/test_video.h"

namespace vq::psnr::test {
namespace {

using cli::test::run_program;
using cli::test::TemporaryFolder;
using cli::test::Words;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class PsnrProgram : public ::testing::Test {
 protected:
  cli::test::ProgramResult run(Words more) const {
    const std::string clips = testdata("clips/");
    Words words = {"-r", clips + "sky_640x360_8b_ref.mp4", "-d", clips + "sky_640x360_8b.mp4", "--backend",
                   "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  }
  json report(Words more) const {
    more.insert(more.end(), {"--extended", "--backend", "cpu"});
    return cli::test::report_of_clips("sky_640x360_8b_ref.mp4", "sky_640x360_8b.mp4", {}, more);
  }
  TemporaryFolder folder_;
};

TEST_F(PsnrProgram, AggregatesCountFramesThatSubsampleLeavesOut) {
  const Words features = {"--feature", "psnr=enable_apsnr=true", "--feature", "cambi"};
  const json all = report(features);
  Words sparse = features;
  sparse.insert(sparse.end(), {"--subsample", "5"});
  const json some = report(sparse);
  ASSERT_EQ(all["frames"].size(), 12U);
  ASSERT_EQ(some["frames"].size(), 3U);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(some["frames"][i], all["frames"][5 * i]);
  EXPECT_EQ(some["aggregate_metrics"], all["aggregate_metrics"]);
  EXPECT_EQ(some["aggregate_metrics"].size(), 3U);
}

// Heatmaps are of the feature that has them, whichever comes first.
TEST_F(PsnrProgram, HeatmapsAreThoseOfTheFeatureThatHasThem) {
  for (const Words& features : {Words{"psnr", "cambi"}, Words{"cambi", "psnr"}}) {
    const std::string maps = folder_.path() + "/" + features.front();
    const cli::test::ProgramResult result =
        run({"--feature", features[0], "--feature", features[1], "--heatmaps", maps, "-q"});
    EXPECT_EQ(result.code, 0) << result.err;
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(maps))
      names.push_back(entry.path().filename());
    ASSERT_THAT(names, Not(IsEmpty()));
    for (const std::string& name : names) EXPECT_THAT(name, HasSubstr("sky_640x360_8b.cambi."));
  }
}

// What is not there is left out also where it was asked for in so many words.
TEST_F(PsnrProgram, VideoWithoutChromaIsComparedByItsLuma) {
  const std::string video = folder_.path() + "/grey.y4m";
  cli::test::write_file(video, cli::test::y4m_video({.chroma = "400"}));
  const json frames =
      cli::test::report_of_run({"-r", video, "-d", video, "--backend", "cpu"}, {"psnr=enable_chroma=true"})
          .at("frames");
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].at("metrics").size(), 1U);
  EXPECT_TRUE(frames[0].at("metrics").contains("psnr_y"));
}

// Without a metric, a threshold means the one of which that side is the worse one and a number alone tells
// something. No number of decibels does.
TEST_F(PsnrProgram, ThresholdsOnItNameIt) {
  EXPECT_EQ(run({"-q", "--feature", "cambi", "--feature", "psnr", "--fail-below", "mean<30"}).code, 1);
  EXPECT_EQ(run({"-q", "--feature", "cambi", "--feature", "psnr", "--fail-below", "psnr_y:mean<30"}).code, 0);
  EXPECT_EQ(run({"-q", "--feature", "cambi", "--feature", "psnr", "--fail-below", "psnr_y:mean<52"}).code, 7);
  EXPECT_EQ(run({"-q", "--feature", "psnr", "--feature", "cambi", "--fail-above", "mean>5"}).code, 7);
  EXPECT_EQ(run({"-q", "--feature", "psnr", "--feature", "cambi", "--fail-above", "mean>40"}).code, 0);
  EXPECT_EQ(run({"-q", "--feature", "psnr", "--feature", "cambi", "--fail-above", "psnr_y:mean>40"}).code, 7);
  const cli::test::ProgramResult wrong = run({"-q", "--feature", "psnr", "--fail-above", "mean>40"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("'psnr_y:mean>40'"));
}

TEST_F(PsnrProgram, RanksByNoShareThatThereIsNot) {
  const std::string a = folder_.path() + "/a.json";
  ASSERT_EQ(run({"-q", "--feature", "psnr", "-o", a}).code, 0);
  const cli::test::ProgramResult result = run_program({"compare", a, a, "--by", "share"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("psnr_y has no noteworthy level"));
  EXPECT_EQ(run_program({"compare", a, a, "--by", "p5"}).code, 0);
}

}  // namespace
}  // namespace vq::psnr::test
