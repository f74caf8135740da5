// JUnit XML: counts, outcomes and text that XML cannot have.
#include "cli/reports/junit.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdio>

#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Report judged_report() {
  Report report;
  report.run.wall_seconds = 1.25;
  report.run.thresholds = {{"mean>5", "cambi", "mean", 8.5, true}, {"max>9", "cambi", "max", 9, false}};
  return report;
}

TEST(Junit, ACaseForTheScoringAndEachThreshold) {
  EXPECT_EQ(junit_xml(std::array{scored_suite("show.mkv", judged_report())}),
            R"x(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="cambi" tests="3" failures="1" errors="0" time="1.250">
  <testsuite name="show.mkv" tests="3" failures="1" errors="0" time="1.250" skipped="0">
    <testcase name="scoring" classname="show.mkv" time="1.250" />
    <testcase name="mean&gt;5" classname="show.mkv" time="0.000">
      <failure message="mean of cambi is 8.5 (mean&gt;5)" type="threshold">mean of cambi is 8.5 (mean&gt;5)</failure>
    </testcase>
    <testcase name="max&gt;9" classname="show.mkv" time="0.000" />
  </testsuite>
</testsuites>
)x");
}

TEST(Junit, ARunThatFailedIsAnErrorAndItsThresholdsAreSkipped) {
  const std::vector<std::string> expressions = {"mean>5"};
  EXPECT_THAT(
      junit_xml(std::array{failed_suite("a.mp4", "a.mp4: the file ended", expressions)}),
      HasSubstr(R"x(<testsuite name="a.mp4" tests="2" failures="0" errors="1" time="0.000" skipped="1">
    <testcase name="scoring" classname="a.mp4" time="0.000">
      <error message="a.mp4: the file ended" type="run">a.mp4: the file ended</error>
    </testcase>
    <testcase name="mean&gt;5" classname="a.mp4" time="0.000">
      <skipped />
    </testcase>)x"));
}

TEST(Junit, SuitesAddUp) {
  const std::vector<JunitSuite> suites = {scored_suite("a", judged_report()), failed_suite("b", "no", {}),
                                          scored_suite("c", judged_report())};
  EXPECT_THAT(
      junit_xml(suites),
      HasSubstr(R"(<testsuites name="cambi" tests="7" failures="2" errors="1" time="2.500">)"));
  EXPECT_THAT(junit_xml({}), HasSubstr(R"(tests="0")"));
}

TEST(Junit, NamesFromAnywhere) {
  const std::string xml = junit_xml(std::array{failed_suite("a\"<&'\x01\xFF.mp4", "one\ntwo", {})});
  EXPECT_THAT(xml, HasSubstr(R"(name="a&quot;&lt;&amp;&apos;)"));
  EXPECT_THAT(xml, Not(HasSubstr("\x01")));
  EXPECT_THAT(xml, Not(HasSubstr("\xFF")));
  EXPECT_THAT(xml, Not(HasSubstr("one\ntwo")));
}

class JunitRun : public ::testing::Test {
 protected:
  // What those who show it make of the file, see there.
  std::string parsed() const {
    const std::string command = "python3 " + testdata("../tests/cli/reports/read_junit.py") + " " + path_;
    FILE* const pipe = ::popen(command.c_str(), "r");
    std::array<char, 4096> buffer{};
    std::string text;
    while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
      text.append(buffer.data(), count);
    EXPECT_EQ(::pclose(pipe), 0) << command;
    return text;
  }

  const std::string clip_ = testdata("clips/sky_640x360_8b.mp4");
  test::TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/limits.xml";
};

TEST_F(JunitRun, OfARunWithThresholds) {
  const test::ProgramResult judged =
      test::run_program({clip_, "--junit", path_, "--fail-above", "mean > 5", "--fail-above", "max>100"});
  EXPECT_EQ(judged.code, 7);
  EXPECT_THAT(judged.err, HasSubstr("wrote " + path_));
  EXPECT_EQ(
      parsed(),
      "sky_640x360_8b.mp4: scoring\nsky_640x360_8b.mp4: mean > 5: failure\nsky_640x360_8b.mp4: max>100\n");
}

TEST_F(JunitRun, OfARunWithoutThresholds) {
  EXPECT_EQ(test::run_program({clip_, "-q", "--junit", path_}).code, 0);
  EXPECT_EQ(parsed(), "sky_640x360_8b.mp4: scoring\n");
}

TEST_F(JunitRun, OfARunThatFails) {
  EXPECT_EQ(test::run_program({"none.mp4", "--junit", path_, "--fail-above", "mean>5"}).code, 2);
  EXPECT_EQ(parsed(), "none.mp4: scoring: error\nnone.mp4: mean>5: skipped\n");
  EXPECT_THAT(test::read_file(path_), HasSubstr("none.mp4 cannot be opened"));
}

TEST_F(JunitRun, OfAGate) {
  const std::vector<std::string> words = {"gate", clip_,     "--backends", "cpu,scalar",
                                          "-q",   "--junit", path_,        "--github"};
  const test::ProgramResult result =
      test::run_program(words, {.environment = {{"GITHUB_STEP_SUMMARY", folder_.path() + "/s.md"}}});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(parsed(), "sky_640x360_8b.mp4: cpu\nsky_640x360_8b.mp4: scalar\n");
  EXPECT_THAT(test::read_file(folder_.path() + "/s.md"), HasSubstr("| scalar |"));
  EXPECT_EQ(test::run_program({"gate", "none.mp4", "--backends", "cpu,scalar", "--junit", path_}).code, 2);
  EXPECT_EQ(parsed(), "none.mp4: scoring: error\n");
}

TEST_F(JunitRun, OfADiff) {
  const std::string a = folder_.path() + "/a.json", b = folder_.path() + "/b.json";
  ASSERT_EQ(test::run_program({clip_, "-q", "-o", a}).code, 0);
  ASSERT_EQ(test::run_program({clip_, "-q", "-o", b, "--eotf", "bt1886", "--frame_cnt", "5"}).code, 0);
  const test::ProgramResult same = test::run_program({"diff", a, a, "--junit", path_, "--github"});
  EXPECT_EQ(same.code, 0);
  EXPECT_EQ(same.err, "");
  EXPECT_EQ(parsed(), "a.json: equals " + a + "\n");
  const test::ProgramResult other = test::run_program({"diff", a, b, "--junit", path_, "--github"});
  EXPECT_EQ(other.code, 7);
  EXPECT_THAT(other.err,
              ::testing::StartsWith("::error title=cambi::" + a + " and " + b + " differ in 7 of 12 scores"));
  EXPECT_EQ(parsed(), "b.json: equals " + a + ": failure\n");
  EXPECT_EQ(test::run_program({"diff", a, clip_, "--junit", path_}).code, 2);
  EXPECT_EQ(parsed(), "sky_640x360_8b.mp4: scoring: error\n");
  EXPECT_EQ(test::run_program({"diff", a, b, "--junit", a}).code, 1);
}

TEST_F(JunitRun, ItsPlaceIsCheckedBeforeAnythingIsScored) {
  const auto refused = [&](const std::string& path) {
    return test::run_program({clip_, "-q", "--junit", path}).code;
  };
  EXPECT_EQ(refused("-"), 1);
  EXPECT_EQ(refused(""), 1);
  EXPECT_EQ(refused(clip_), 1);
  EXPECT_EQ(refused(folder_.path() + "/none/x.xml"), 5);
  EXPECT_EQ(test::run_program({clip_, "-q", "-o", path_, "--junit", path_}).code, 1);
}

}  // namespace
}  // namespace vq::cli
