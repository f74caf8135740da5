#include "cli/reports/batch_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/report_samples.h"

namespace vq::cli {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using State = VideoOutcome::State;

Report summary_report(const std::string& metric, const std::vector<double>& values) {
  Report report = sample_report();
  report.frames.clear();
  report.timestamps.clear();
  report.metrics = {{metric, values}};
  for (size_t i = 0; i < values.size(); ++i) {
    report.frames.push_back(static_cast<int64_t>(i));
    report.timestamps.push_back(static_cast<double>(i) / 24);
  }
  return report;
}

// One video of each state.
BatchSummary sample_summary() {
  BatchSummary summary{.arguments = {"batch", "x"}, .videos = {}, .remarks = {"a.mkv is the same file as b.mkv"}, .wall_seconds = 1.5};
  for (const State state : {State::kFailed, State::kScored, State::kKept, State::kLeft}) {
    VideoOutcome& video = summary.videos.emplace_back();
    video.path = std::string("/x/") + word_of(state) + ".mkv";
    video.name = std::string(word_of(state)) + ".mkv";
    video.state = state;
  }
  summary.videos[0].error = ErrorKind::kIncomplete;
  summary.videos[0].message = "cut \"short\", and more";
  summary.videos[0].partial = "failed.mkv.json.partial";
  summary.videos[1].scores = scores_of(summary_report("cambi", {1, 2, 6}));
  summary.videos[1].scores->thresholds = {{"mean>2", "cambi", "mean", 3, true}};
  summary.videos[1].report = "scored.mkv.json";
  summary.videos[2].scores = scores_of(full_report());
  summary.videos[2].reference = "/x/master.mov";
  summary.videos[2].report = "kept.mkv.json";
  summary.videos[2].page = "kept.mkv.html";
  return summary;
}

TEST(BatchSummary, AStripHasTheWorstOfEachPart) {
  std::vector<double> values(1000, 1.0);
  values[0] = 5;
  values[999] = 7;
  values[505] = NAN;
  const std::vector<double> low = scores_of(summary_report("cambi", values)).strip;
  ASSERT_EQ(low.size(), kStripParts);
  EXPECT_EQ(low[0], 5);
  EXPECT_EQ(low[50], 1);
  EXPECT_EQ(low[99], 7);
  // Where higher is better the least is the worst; where neither is, there is only the mean.
  EXPECT_EQ(scores_of(summary_report("psnr_y", values)).strip[0], 1);
  EXPECT_DOUBLE_EQ(scores_of(summary_report("bounds_x", values)).strip[0], 1.4);
  EXPECT_THAT(scores_of(summary_report("cambi", {3, 1, 2})).strip, ElementsAre(3, 1, 2));
  EXPECT_TRUE(std::isnan(scores_of(summary_report("cambi", {NAN})).strip[0]));
}

TEST(BatchSummary, LengthIsToTheEndOfTheLastFrame) {
  Report report = summary_report("cambi", std::vector<double>(24, 1.0));
  report.run.inputs[0].frame_rate = 24;
  EXPECT_NEAR(*scores_of(report).seconds, 1.0, 1e-6);  // times in reports have six decimals
  report.timestamps.back().reset();
  EXPECT_FALSE(scores_of(report).seconds.has_value());
}

TEST(BatchSummary, CountsAndWords) {
  const BatchSummary summary = sample_summary();
  EXPECT_EQ(batch_totals(summary), "4 videos: 1 scored, 1 up to date, 1 failed, 1 not reached; 2 cross a threshold");
  EXPECT_EQ(count_crossing(summary), 2);
  EXPECT_EQ(count_of(summary, State::kLeft), 1);
}

TEST(BatchSummary, TheTableHasARowForEachVideo) {
  const std::vector<std::string> lines = batch_table(sample_summary()).lines();
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_THAT(lines[0], testing::MatchesRegex("cambi of +mean +p50 +p95 +p99 +max +frames >= 5 +frames"));
  EXPECT_THAT(lines[1], testing::MatchesRegex("failed.mkv +-.* failed"));
  EXPECT_THAT(lines[2], testing::MatchesRegex("scored.mkv +3.000 +2.000 .* 3 +crossed"));
  EXPECT_THAT(lines[4], testing::MatchesRegex("left.mkv +-.* not scored"));
}

TEST(BatchSummary, JsonSaysEverything) {
  const json all = json::parse(batch_json(sample_summary(), {}));
  EXPECT_EQ(all.at("counts"), json({{"videos", 4}, {"scored", 1}, {"kept", 1}, {"failed", 1}, {"left", 1}, {"crossing", 2}}));
  EXPECT_EQ(all.at("complete"), false);
  const json& failed = all.at("videos")[0];
  EXPECT_EQ(failed.at("error"), json({{"kind", "incomplete"}, {"code", 6}, {"message", "cut \"short\", and more"}}));
  EXPECT_TRUE(failed.at("scores").is_null());
  const json& scored = all.at("videos")[1].at("scores");
  EXPECT_EQ(scored.at("metrics").at("cambi").at("mean"), 3.0);
  EXPECT_EQ(scored.at("metrics").at("cambi").at("share"), 0.333333);
  EXPECT_EQ(scored.at("strip"), json({1, 2, 6}));
  EXPECT_EQ(scored.at("metric"), "cambi");
  EXPECT_EQ(all.at("videos")[2].at("reference"), "/x/master.mov");
}

TEST(BatchSummary, CsvHasAsManyFieldsInEveryLine) {
  const std::string csv = batch_csv(sample_summary(), {});
  EXPECT_THAT(csv, HasSubstr("/x/failed.mkv,failed.mkv,failed,incomplete,\"cut \"\"short\"\", and more\",,,,,"));
  EXPECT_THAT(csv, HasSubstr("/x/scored.mkv,scored.mkv,scored,,,scored.mkv.json,3,1,cambi,3.000000,"));
  std::istringstream lines(csv);
  std::vector<long> commas;
  for (std::string line; std::getline(lines, line);) {
    bool quoted = false;
    long count = 0;
    for (const char c : line) {
      quoted = quoted != (c == '"');
      count += c == ',' && !quoted;
    }
    commas.push_back(count);
  }
  EXPECT_THAT(commas, testing::Each(commas[0]));
}

// For validate_report.py.
TEST(BatchSummary, WritesSample) {
  const char* const folder = std::getenv("CAMBI_REPORT_FOLDER");
  if (folder == nullptr) return;
  std::ofstream(std::string(folder) + "/sample.summary.json") << batch_json(sample_summary(), {});
}

}  // namespace
}  // namespace vq::cli
