// Runs of which only some frames are scored.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "engine/sampling.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<int64_t> taken(const Sampling& sampling, int64_t frames) {
  std::vector<int64_t> positions;
  for (int64_t position = 0; position < frames; ++position) {
    if (sampling.takes(position)) positions.push_back(position);
  }
  return positions;
}

// Of the first frames every third is a P-frame; then come others.
TEST(SampledTypes, AreToldByARun) {
  const test::TemporaryFolder folder;
  const auto run = [&](const std::string& sample, const std::string& frames) {
    const test::ProgramResult result = test::run_program(
        {testdata("formats/faststart.mp4"), "--feature", "bounds", "--subsample", sample, "--frame_cnt",
         frames, "--backend", "cpu", "--extended", "-o", folder.path() + "/r.json"});
    EXPECT_EQ(result.code, 0) << result.err;
    return result;
  };
  const std::string warning = "scored frames are P-frames, but only";
  EXPECT_THAT(run("3", "19").err, AllOf(HasSubstr(warning), HasSubstr("Try: --subsample 3:spread")));
  const test::ProgramResult spread = run("3:spread", "50");
  EXPECT_THAT(spread.err, Not(HasSubstr(warning)));
  EXPECT_THAT(spread.out, HasSubstr("16 of 50 frames (one of every 3 frames)"));
  const json report = json::parse(test::read_file(folder.path() + "/r.json"));
  EXPECT_EQ(report["run"]["subsample"], 3);
  EXPECT_EQ(report["run"]["sample_is_spread"], true);
  std::vector<int64_t> scored;
  for (const json& frame : report["frames"]) scored.push_back(frame["frameNum"]);
  EXPECT_EQ(scored, taken({.every = 3, .is_spread = true}, 50));
}

// Features that look at frames before look at the same ones.
TEST(Sampling, ScoresAreThoseOfARunOfAllFrames) {
  const test::TemporaryFolder folder;
  const std::string clip = testdata("clips/sky_640x360_8b.mp4"),
                    reference = testdata("clips/sky_640x360_8b_ref.mp4");
  const auto frames = [&](const std::string& sample) {
    const std::string path = folder.path() + "/r.json";
    EXPECT_EQ(
        test::run_program({"-r", reference, "-d", clip, "--feature", "motion", "--feature", "psnr",
                           "--subsample", sample, "--backend", "cpu", "-q", "--precision", "max", "-o", path})
            .code,
        0);
    return json::parse(test::read_file(path))["frames"];
  };
  const json all = frames("1"), some = frames("2:spread");
  EXPECT_EQ(some.size(), 6U);
  for (const json& frame : some) EXPECT_EQ(frame, all[frame["frameNum"].get<size_t>()]);
}

}  // namespace
}  // namespace vq::cli
