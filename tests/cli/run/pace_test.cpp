// The parts of a run's time, which leave no gap.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run/run_facts.h"
#include "engine/report/run_pace.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

using nlohmann::json;
using ::testing::DoubleEq;
using ::testing::ElementsAre;

// The clock takes a reader that waits for one that prepares pictures.
TEST(Pace, WaitingForFramesIsTakenFromPreparing) {
  const std::vector<StageTotal> parts = {
      {"opening", 100}, {"preparing", 500}, {"scoring", 250}, {"preparing", 500}};
  EXPECT_THAT(pace_of(parts, 0.75).seconds, ElementsAre(DoubleEq(0.1), DoubleEq(0.75), DoubleEq(0.25),
                                                        DoubleEq(0), DoubleEq(0.25), DoubleEq(0)));
  // Two clocks may differ by a little, which makes no part negative.
  EXPECT_THAT(pace_of(parts, 1.0625).seconds,
              ElementsAre(DoubleEq(0.1), DoubleEq(1), DoubleEq(0), DoubleEq(0), DoubleEq(0.25), DoubleEq(0)));
}

class PaceProgram : public ::testing::Test {
 protected:
  json run_of(Words words) {
    const std::string path = folder_.path() + "/a.json";
    words.insert(words.end(), {"-q", "--backend", "cpu", "--extended", "-o", path});
    const ProgramResult result = run_program(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(read_file(path)).at("run");
  }
  TemporaryFolder folder_;
};

TEST_F(PaceProgram, PartsAddUpToTheDurationOfTheRun) {
  const std::string clip = testdata("clips/colour_640x360_8b_ref.mp4");
  const std::string other = testdata("clips/colour_640x360_8b_shift.mp4");
  for (const Words& words :
       {Words{clip}, Words{"-r", clip, "-d", other, "--feature", "psnr", "--crop", "320:200:8:8"}}) {
    const json run = run_of(words), parts = run.at("pace").at("parts");
    ASSERT_EQ(parts.size(), pace::kParts.size());
    double sum = 0;
    std::string longest;
    for (const auto& [part, seconds] : parts.items()) {
      EXPECT_GE(seconds.get<double>(), 0) << part;
      sum += seconds.get<double>();
      if (longest.empty() || seconds > parts.at(longest)) longest = part;
    }
    // Each is rounded to a microsecond.
    EXPECT_NEAR(sum, run.at("wall_seconds").get<double>(), 1e-5);
    EXPECT_EQ(run.at("pace").at("limit"), longest);
    for (const std::string_view part :
         {pace::kOpening, pace::kPreparing, pace::kSubmitting, pace::kScoring, pace::kReporting}) {
      EXPECT_GT(parts.at(std::string(part)), 0) << part;
    }
  }
}

}  // namespace
}  // namespace vq::cli::test
