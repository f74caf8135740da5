// The bounds in the program: cropped, beside other features, against FFmpeg's idea of them.
#include <gmock/gmock.h>

#include "tests/bounds/golden_cases.h"

namespace vq::bounds::test {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

class BoundsProgram : public ::testing::Test {
 protected:
  cli::test::ProgramResult run(const std::string& clip, const Words& more) const {
    Words words = {testdata("clips/") + clip, "--backend", "cpu", "-q", "--feature", "bounds"};
    words.insert(words.end(), more.begin(), more.end());
    return cli::test::run_program(words);
  }
  json frames(const std::string& clip, Words more = {}) const {
    const std::string path = folder_.path() + "/report.json";
    more.insert(more.end(), {"--precision", "max", "-o", path});
    const cli::test::ProgramResult result = run(clip, more);
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(cli::test::read_file(path), nullptr, false)["frames"];
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
    for (const json& frame : frames(clip, {"--crop", "auto"})) EXPECT_EQ(frame["metrics"]["bounds_share"], 1) << clip;
  }
}

TEST_F(BoundsProgram, ThresholdsTakeEitherSide) {
  EXPECT_EQ(run("bars_fade_320x180_8b.mp4", {"--fail-below", "bounds_share:min<0.9"}).code, 7);
  EXPECT_EQ(run("bars_fade_320x180_8b.mp4", {"--fail-below", "bounds_share:max<0.7"}).code, 0);
  EXPECT_EQ(run("bars_fade_320x180_8b.mp4", {"--fail-above", "bounds_y:max>21"}).code, 7);
  EXPECT_EQ(run("bars_fade_320x180_8b.mp4", {"--fail-above", "bounds_y:max>22"}).code, 0);
}

}  // namespace
}  // namespace vq::bounds::test
