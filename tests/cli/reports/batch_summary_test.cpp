#include "cli/reports/batch_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/golden_text.h"
#include "tests/support/report_test.h"

namespace vq::cli {
namespace {

using ::testing::ElementsAre;
using vq::test::GoldenTexts;

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

TEST(BatchSummary, CountsItsVideos) {
  EXPECT_EQ(count_crossing(sample_summary()), 2);
  EXPECT_EQ(count_of(sample_summary(), State::kLeft), 1);
}

TEST(BatchSummary, TextsAreAsReviewed) {
  GoldenTexts golden("reports/batch.txt");
  const BatchSummary summary = sample_summary();
  golden.add("totals", batch_totals(summary));
  golden.add("table", batch_table(summary).text());
  golden.add("CSV", batch_csv(summary, {}));
}

// validate_report.py compares the file with its schema.
TEST(BatchSummary, JsonIsAsReviewed) {
  vq::test::expect_golden("reports/batch.summary.json", without_version(batch_json(sample_summary(), {})));
}

}  // namespace
}  // namespace vq::cli
