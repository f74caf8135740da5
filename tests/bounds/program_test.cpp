// The bounds in the program: cropped, beside other features, against FFmpeg's idea of them.
#include <gmock/gmock.h>

#include "cli/pages/page_assets.h"
#include "core/error.h"
#include "tests/support/report_test.h"

namespace vq::bounds::test {
namespace {

using cli::test::Words;
using nlohmann::json;
using ::testing::HasSubstr;

class BoundsProgram : public ::testing::Test {
 protected:
  cli::test::ProgramResult run(const std::string& clip, const Words& more) const {
    Words words = {testdata("clips/") + clip, "--backend", "cpu", "-q", "--feature", "bounds"};
    words.insert(words.end(), more.begin(), more.end());
    return cli::test::run_program(words);
  }
  json frames(const std::string& clip, const Words& more = {}) const {
    return cli::test::report_of_run({testdata("clips/") + clip, "--backend", "cpu"}, {"bounds"},
                                    more)["frames"];
  }
  cli::test::TemporaryFolder folder_;
};

// Places are told within the rectangle that is scored.
TEST_F(BoundsProgram, LooksInsideTheCrop) {
  const json metrics = frames("letterbox_640x360_8b.mp4", {"--crop", "300:100:20:30"})[0]["metrics"];
  EXPECT_EQ(metrics["bounds_x"], 0);
  EXPECT_EQ(metrics["bounds_y"], 15);
  EXPECT_EQ(metrics["bounds_width"], 300);
  EXPECT_EQ(metrics["bounds_height"], 85);
  EXPECT_EQ(metrics["bounds_share"], 0.85);
}

// What --crop auto leaves fills its frame.
TEST_F(BoundsProgram, FillWhatCropAutoLeaves) {
  for (const char* clip : {"bars_pillarbox_640x360_8b.mp4", "bars_letterbox_320x240_full_range.mp4"}) {
    for (const json& frame : frames(clip, {"--crop", "auto"}))
      EXPECT_EQ(frame["metrics"]["bounds_share"], 1) << clip;
  }
}

TEST_F(BoundsProgram, ThresholdsTakeEitherSide) {
  EXPECT_EQ(run("bars_fade_320x180_8b.mp4", {"--fail-below", "bounds_share:min<0.9"}).code, 7);
  EXPECT_EQ(run("bars_fade_320x180_8b.mp4", {"--fail-below", "bounds_share:max<0.7"}).code, 0);
  EXPECT_EQ(run("bars_fade_320x180_8b.mp4", {"--fail-above", "bounds_y:max>21"}).code, 7);
  EXPECT_EQ(run("bars_fade_320x180_8b.mp4", {"--fail-above", "bounds_y:max>22"}).code, 0);
}

// Beside a metric that judges, that one speaks for the run.
TEST_F(BoundsProgram, LeavesTheLeadToAMetricThatJudges) {
  const Words both = {"--feature", "cambi"};
  const auto with = [&](Words more) {
    more.insert(more.begin(), both.begin(), both.end());
    return run("sky_640x360_8b.mp4", more);
  };
  EXPECT_EQ(with({"--fail-above", "mean>5"}).code, 7);
  EXPECT_EQ(with({"--fail-above", "mean>20"}).code, 0);
  const cli::test::ProgramResult wrong_side = with({"--fail-below", "mean<0.5"});
  EXPECT_EQ(wrong_side.code, 1) << wrong_side.err;  // what is judged has its worse side elsewhere
  const cli::test::ProgramResult result =
      with({"--progress", "json", "--precision", "max", "-o", folder_.path() + "/r.json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string last = result.err.substr(result.err.find_last_of('\n', result.err.size() - 2) + 1);
  const json pooled =
      json::parse(cli::test::read_file(folder_.path() + "/r.json"))["pooled_metrics"]["cambi"];
  EXPECT_NEAR(json::parse(last)["mean"].get<double>(), pooled["mean"].get<double>(), 1e-6);
}

TEST_F(BoundsProgram, JudgesNothingUnnamed) {
  EXPECT_EQ(run("bars_fade_320x180_8b.mp4", {"--fail-below", "min<0.9"}).code, 1);
  EXPECT_EQ(run("bars_fade_320x180_8b.mp4", {"--fail-above", "max>0.9"}).code, 1);
}

// Where no metric judges, the highest and the lowest frames are shown; beside one that does, its worst,
// though it comes second.
TEST_F(BoundsProgram, PagesShowTheFramesOfAMetricThatJudgesWhereThereIsOne) {
  if (!cli::has_pages()) GTEST_SKIP() << "this build has no pages";
  const std::string alone = folder_.path() + "/alone.html", both = folder_.path() + "/both.html";
  ASSERT_EQ(run("sky_640x360_8b.mp4", {"-o", alone}).code, 0);
  ASSERT_EQ(run("sky_640x360_8b.mp4", {"--feature", "cambi", "-o", both}).code, 0);
  constexpr const char* kPicture = "{\"frame\":0,";
  constexpr const char* kHeat = "\"heat\":\"data:";
  EXPECT_THAT(cli::test::read_file(alone),
              ::testing::AllOf(HasSubstr(kPicture), ::testing::Not(HasSubstr(kHeat))));
  EXPECT_THAT(cli::test::read_file(both), ::testing::AllOf(HasSubstr(kPicture), HasSubstr(kHeat)));
}

}  // namespace
}  // namespace vq::bounds::test
