// JUnit XML: counts, outcomes and text that XML cannot have.
#include "cli/reports/ci_formats.h"
#include "cli/reports/batch_summary.h"
#include "tests/support/golden_text.h"
#include "tests/support/report_test.h"

namespace vq::cli::test {
namespace {

using vq::test::GoldenTexts;

Report judged_report() {
  Report report;
  report.run.wall_seconds = 1.25;
  report.run.thresholds = {{"mean>5", "cambi", "mean", 8.5, true}, {"max>9", "cambi", "max", 9, false}};
  return report;
}

TEST(Junit, FilesAreAsReviewed) {
  GoldenTexts golden("reports/junit.txt");
  const std::vector<std::string> expressions = {"mean>5"};
  golden.add("a case for the scoring and each threshold",
             junit_xml(std::array{scored_suite("show.mkv", judged_report())}));
  golden.add("a run that failed is an error, and its thresholds are skipped",
             junit_xml(std::array{failed_suite("a.mp4", "a.mp4: the file ended", expressions)}));
  golden.add("suites add up",
             junit_xml(std::array{scored_suite("a", judged_report()), failed_suite("b", "no", {}),
                                  scored_suite("c", judged_report())}));
  golden.add("no suite", junit_xml({}));
  golden.add("names from anywhere",
             junit_xml(std::array{failed_suite("a\"<&'\x01\xFF.mp4", "one\ntwo", {})}));
}

class JunitRun : public FolderTest {
 protected:
  // What those who show it make of the file, see there.
  std::string parsed() const {
    return output_of("/usr/bin/python3 " + testdata("../tests/cli/reports/read_junit.py") + " " + path_);
  }

  const std::string clip_ = testdata("clips/sky_640x360_8b.mp4");
  const std::string path_ = in_folder("limits.xml");
};

TEST_F(JunitRun, OfARunWithThresholds) {
  const ProgramResult judged =
      run_program({clip_, "--junit", path_, "--fail-above", "mean > 5", "--fail-above", "max>100"});
  EXPECT_EQ(judged.code, 7);
  EXPECT_THAT(judged.err, HasSubstr("wrote " + path_));
  EXPECT_EQ(
      parsed(),
      "sky_640x360_8b.mp4: scoring\nsky_640x360_8b.mp4: mean > 5: failure\nsky_640x360_8b.mp4: max>100\n");
}

TEST_F(JunitRun, OfARunThatFails) {
  EXPECT_EQ(run_program({"none.mp4", "--junit", path_, "--fail-above", "mean>5"}).code, 2);
  EXPECT_EQ(parsed(), "none.mp4: scoring: error\nnone.mp4: mean>5: skipped\n");
  EXPECT_THAT(read_file(path_), HasSubstr("none.mp4 cannot be opened"));
}

TEST_F(JunitRun, OfAGate) {
  const std::vector<std::string> words = {"gate", clip_,     "--backends", "cpu,scalar",
                                          "-q",   "--junit", path_,        "--github"};
  run_well(words, {.environment = {{"GITHUB_STEP_SUMMARY", in_folder("s.md")}}});
  EXPECT_EQ(parsed(), "sky_640x360_8b.mp4: cpu\nsky_640x360_8b.mp4: scalar\n");
  EXPECT_THAT(read_file(in_folder("s.md")), HasSubstr("| scalar |"));
  EXPECT_EQ(run_program({"gate", "none.mp4", "--backends", "cpu,scalar", "--junit", path_}).code, 2);
  EXPECT_EQ(parsed(), "none.mp4: scoring: error\n");
}

TEST_F(JunitRun, OfADiff) {
  const std::string a = in_folder("a.json"), b = in_folder("b.json");
  ASSERT_EQ(run_program({clip_, "-q", "-o", a}).code, 0);
  ASSERT_EQ(run_program({clip_, "-q", "-o", b, "--eotf", "bt1886", "--frame_cnt", "5"}).code, 0);
  EXPECT_EQ(run_well({"diff", a, a, "--junit", path_, "--github"}).err, "");
  EXPECT_EQ(parsed(), "a.json: equals " + a + "\n");
  const ProgramResult other = run_program({"diff", a, b, "--junit", path_, "--github"});
  EXPECT_EQ(other.code, 7);
  EXPECT_THAT(other.err, StartsWith("::error title=cambi::" + a + " and " + b + " differ in 7 of 12 scores"));
  EXPECT_EQ(parsed(), "b.json: equals " + a + ": failure\n");
  EXPECT_EQ(run_program({"diff", a, clip_, "--junit", path_}).code, 2);
  EXPECT_EQ(parsed(), "sky_640x360_8b.mp4: scoring: error\n");
  EXPECT_EQ(run_program({"diff", a, b, "--junit", a}).code, 1);
}

TEST_F(JunitRun, ItsPlaceIsCheckedBeforeAnythingIsScored) {
  const auto refused = [&](const std::string& path) {
    return run_program({clip_, "-q", "--junit", path}).code;
  };
  EXPECT_EQ(refused("-"), 1);
  EXPECT_EQ(refused(""), 1);
  EXPECT_EQ(refused(clip_), 1);
  EXPECT_EQ(refused(in_folder("none/x.xml")), 5);
  EXPECT_EQ(run_program({clip_, "-q", "-o", path_, "--junit", path_}).code, 1);
}

using State = VideoOutcome::State;

// One video of each state.
BatchSummary sample_summary() {
  BatchSummary summary{.arguments = {"batch", "x"},
                       .videos = {},
                       .remarks = {"a.mkv is the same file as b.mkv"},
                       .wall_seconds = 1.5};
  for (const State state : {State::kFailed, State::kScored, State::kKept, State::kLeft, State::kRefused}) {
    VideoOutcome& video = summary.videos.emplace_back();
    video.path = std::string("/x/") + word_of(state) + ".mkv";
    video.name = std::string(word_of(state)) + ".mkv";
    video.state = state;
  }
  summary.videos[0].error = ErrorKind::kIncomplete;
  summary.videos[0].message = "cut \"short\", and more";
  summary.videos[0].partial = "failed.mkv.json.partial";
  summary.videos[1].scores = scores_of(run_of("a", {1, 2, 6}).report);
  summary.videos[1].scores->thresholds = {{"mean>2", "cambi", "mean", 3, true}};
  summary.videos[1].report = "scored.mkv.json";
  summary.videos[2].scores = scores_of(full_report());
  summary.videos[2].scores->strip.resize(3);
  summary.videos[2].reference = "/x/master.mov";
  summary.videos[2].report = "kept.mkv.json";
  summary.videos[2].page = "kept.mkv.html";
  summary.videos.back().error = ErrorKind::kMismatch;
  summary.videos.back().message = "another film (--compare-anyway scores them all the same)";
  // Its scores say nothing, and its threshold is not judged.
  VideoOutcome& wrong = *summary.videos.insert(summary.videos.begin() + 3, VideoOutcome());
  wrong.path = "/x/wrong.mkv";
  wrong.name = "wrong.mkv";
  wrong.state = State::kScored;
  Report report = run_of("a", {90, 91, 92}, "psnr_y").report;
  report.run.pair_faults = {{PairFaultKind::kShift, {"wrong.mkv is late"}}};
  wrong.scores = scores_of(report);
  wrong.scores->thresholds = {
      {.expression = "psnr_y<30", .metric = "psnr_y", .statistic = "mean", .value = 91, .judged = false}};
  return summary;
}

TEST(BatchSummary, AStripHasTheWorstOfEachPart) {
  std::vector<double> values(1000, 1.0);
  values[0] = 5;
  values[999] = 7;
  values[505] = NAN;
  const std::vector<double> low = scores_of(run_of("a", values).report).strip;
  ASSERT_EQ(low.size(), kStripParts);
  EXPECT_EQ(low[0], 5);
  EXPECT_EQ(low[50], 1);
  EXPECT_EQ(low[99], 7);
  // Where higher is better the least is the worst; where neither is, there is only the mean.
  EXPECT_EQ(scores_of(run_of("a", values, "psnr_y").report).strip[0], 1);
  EXPECT_DOUBLE_EQ(scores_of(run_of("a", values, "bounds_x").report).strip[0], 1.4);
  EXPECT_THAT(scores_of(run_of("a", {3, 1, 2}).report).strip, ElementsAre(3, 1, 2));
  EXPECT_TRUE(std::isnan(scores_of(run_of("a", {NAN}).report).strip[0]));
}

TEST(BatchSummary, LengthIsToTheEndOfTheLastFrame) {
  Report report = run_of("a", std::vector<double>(24, 1.0)).report;
  report.run.inputs[0].frame_rate = 24;
  EXPECT_NEAR(*scores_of(report).seconds, 1.0, 1e-6);  // times in reports have six decimals
  report.timestamps.back().reset();
  EXPECT_FALSE(scores_of(report).seconds.has_value());
}

TEST(BatchSummary, TextsAreAsReviewed) {
  GoldenTexts golden("reports/batch.txt");
  const BatchSummary summary = sample_summary();
  golden.add("totals", counts_of(summary).text());
  golden.add("table", batch_table(summary).text());
  golden.add("CSV", batch_csv(summary, {}));
}

// schema_test.py compares the file with its schema.
TEST(BatchSummary, JsonIsAsReviewed) {
  BatchSummary summary = sample_summary();
  summary.videos.erase(summary.videos.begin() + 1);  // the one kept has all that this one has
  vq::test::expect_golden("reports/batch.summary.json",
                          vq::test::in_few_lines(without_version(batch_json(summary, {}))));
}

}  // namespace

}  // namespace vq::cli::test
