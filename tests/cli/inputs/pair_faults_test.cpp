// Pairs of which scores would be wrong: told in reports and JUnit files, refused under --strict, and apart in
// comparisons.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/reports/compare_files.h"
#include "cli/reports/comparison_table.h"
#include "cli/reports/report_file.h"
#include "cli/reports/run_moments.h"
#include "cli/reports/summary.h"
#include "tests/support/paths.h"
#include "tests/support/report_test.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

using nlohmann::json;
using test::ProgramResult;
using test::run_program;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

NamedReport faulty(NamedReport run) {
  run.report.run.pair_faults = {{PairFaultKind::kRange, {"one is full range and the other limited."}}};
  return run;
}

std::vector<NamedReport> ranked_runs(const std::string& metric) {
  std::vector<NamedReport> runs = {faulty(run_of("wrong", {60, 60}, metric)),
                                   run_of("good", {40, 42}, metric), run_of("bad", {30, 32}, metric)};
  for (NamedReport& run : runs) run.report.run.inputs[0].bit_rate = 1000;
  rank(runs, metric, named("mean"));
  return runs;
}

std::vector<std::string> names_of_runs(const std::vector<NamedReport>& runs) {
  std::vector<std::string> names;
  for (const NamedReport& run : runs) names.push_back(run.name);
  return names;
}

TEST(PairFaults, AreLastInAComparisonThatTheySpoil) {
  const ComparisonBasis basis{"psnr_y", named("mean")};
  const std::vector<NamedReport> runs = ranked_runs("psnr_y");
  EXPECT_THAT(names_of_runs(runs), ElementsAre("good", "bad", "wrong"));
  EXPECT_EQ(worth_their_bits(runs, basis)[2], std::nullopt);
  EXPECT_EQ(worth_their_bits(runs, basis)[0], true);
  const json file = json::parse(comparison_json(runs, basis));
  EXPECT_EQ(file["runs"][2]["comparable"], false);
  EXPECT_EQ(file["runs"][0]["comparable"], true);
  EXPECT_THAT(file["remarks"][0].get<std::string>(), HasSubstr("wrong"));
  EXPECT_THAT(comparison_csv(runs, basis, {}), AllOf(HasSubstr(",comparable"), HasSubstr(",false")));
  EXPECT_THAT(comparison_markdown(runs, basis), HasSubstr("| - | wrong |"));
  EXPECT_EQ(comparison_table(runs, basis).rows()[2].back(), "not comparable");
}

TEST(PairFaults, SpoilNothingThatIsOfOneVideo) {
  EXPECT_FALSE(is_comparable(faulty(run_of("a", {1}, "psnr_y")), "psnr_y"));
  EXPECT_FALSE(is_comparable(faulty(run_of("a", {1}, "vmaf")), "vmaf"));
  EXPECT_TRUE(is_comparable(faulty(run_of("a", {1}, "cambi")), "cambi"));
  EXPECT_TRUE(is_comparable(run_of("a", {1}, "psnr_y"), "psnr_y"));
  EXPECT_THAT(names_of_runs(ranked_runs("cambi")), ElementsAre("bad", "good", "wrong"));  // by their scores
  EXPECT_EQ(comparison_table(ranked_runs("cambi"), {"cambi", named("mean")}).rows()[2].front(), "3");
}

// Frames of a film whose every part moves, with another scene each second.
std::string film_of_frames(int first, int end) {
  constexpr int kWidth = 160, kHeight = 96;
  std::string text = "YUV4MPEG2 W160 H96 F25:1 Ip A1:1 Cmono\n";
  for (int t = first; t < end; ++t) {
    text += "FRAME\n";
    const int scene = t / 25;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        const double wave =
            std::sin(0.09 * x + 0.3 * t + 2.7 * scene) * std::cos(0.07 * y - 0.21 * t + scene);
        text += static_cast<char>(std::lround(120 + 80 * wave));
      }
    }
  }
  return text;
}

class PairFaultProgram : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  static ProgramResult run(const std::vector<std::string>& more) {
    std::vector<std::string> words = {"--feature", "psnr", "--as-stored", "--frame_cnt", "2", "-q"};
    words.insert(words.begin(), more.begin(), more.end());
    return run_program(words);
  }
  const std::string reference_ = testdata("clips/sky_640x360_8b_ref.mp4"),
                    full_ = testdata("clips/sky_640x360_full_range.mp4"),
                    limited_ = testdata("clips/sky_640x360_8b.mp4");
  const test::TemporaryFolder folder_;
};

TEST_F(PairFaultProgram, AreErrorsUnderStrict) {
  const std::vector<std::string> pair = {"-r",      reference_,    "-d",           full_,
                                         "--junit", path("j.xml"), "--fail-below", "psnr<1"};
  const ProgramResult scored = run({"-r", reference_, "-d", full_, "--junit", path("j.xml"), "--fail-below",
                                    "psnr<1", "-o", path("r.json"), "--extended"});
  EXPECT_EQ(scored.code, 0) << scored.err;
  EXPECT_THAT(test::read_file(path("j.xml")),
              AllOf(HasSubstr("<system-out>"), HasSubstr("range"), Not(HasSubstr("name=\"pair\""))));
  const ScoreTable saved = read_report(path("r.json"));
  ASSERT_EQ(saved.run->pair_faults.size(), 1U);
  std::vector<std::string> strict = pair;
  strict.emplace_back("--strict");
  EXPECT_EQ(run(strict).code, 3);
  EXPECT_THAT(test::read_file(path("j.xml")),
              AllOf(HasSubstr("testcase name=\"pair\""), HasSubstr("<failure"), HasSubstr("<skipped")));
  EXPECT_EQ(run({"-r", reference_, "-d", limited_, "--strict"}).code, 0);
  // CAMBI scores each video by itself.
  EXPECT_EQ(
      run_program({"-r", reference_, "-d", full_, "--full-ref", "--strict", "--frame_cnt", "2", "-q"}).code,
      0);
}

TEST_F(PairFaultProgram, FramesThatAreNotEachOthersAreErrorsUnderStrict) {
  // Only the pictures tell that these are shifted.
  test::write_file(path("r.y4m"), film_of_frames(0, 60));
  test::write_file(path("d.y4m"), film_of_frames(3, 63));
  const std::vector<std::string> words = {"-r",        path("r.y4m"), "-d", path("d.y4m"),
                                          "--feature", "psnr",        "-q"};
  const ProgramResult scored = run_program(words);
  ASSERT_EQ(scored.code, 0) << scored.err;
  ASSERT_THAT(scored.err, HasSubstr("--align"));
  std::vector<std::string> strict = words;
  strict.emplace_back("--strict");
  EXPECT_EQ(run_program(strict).code, 3);
  strict.insert(strict.end(), {"--align", "off"});
  EXPECT_EQ(run_program(strict).code, 0);
}

TEST_F(PairFaultProgram, NeverWinAComparison) {
  const ProgramResult result = run({"compare", full_, limited_, "-r", reference_, "-o", path("c.json")});
  EXPECT_EQ(result.code, 0) << result.err;
  const json runs = json::parse(test::read_file(path("c.json")))["runs"];
  EXPECT_EQ(runs[0]["path"], limited_);
  EXPECT_EQ(runs[0]["comparable"], true);
  EXPECT_EQ(runs[1]["comparable"], false);
  EXPECT_EQ(run({"compare", full_, limited_, "-r", reference_, "--strict", "--junit", path("j.xml")}).code,
            3);
  EXPECT_THAT(test::read_file(path("j.xml")), HasSubstr("name=\"pair\""));
}

TEST_F(PairFaultProgram, FailInABatchUnderStrict) {
  const ProgramResult result = run({"batch", full_, limited_, "-r", reference_, "--reports", path("reports"),
                                    "--strict", "--junit", path("j.xml")});
  EXPECT_EQ(result.code, 3) << result.err;
  EXPECT_THAT(test::read_file(path("j.xml")), AllOf(HasSubstr("name=\"pair\""), HasSubstr("failures=\"1\"")));
}

}  // namespace
}  // namespace vq::cli
