#include "cli/batch/batch_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace vq::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct BatchDesk {
  double now = 0;
  std::string text;

  ProgressPort port() {
    return {[this] { return now; }, [this](std::string_view more) { text += more; }, [] { return 120; }};
  }
  std::string take() { return std::exchange(text, {}); }
};

VideoOutcome outcome(VideoOutcome::State state) {
  VideoOutcome outcome;
  outcome.name = "s1/e1.mkv";
  outcome.state = state;
  if (state == VideoOutcome::State::kFailed) outcome.error = ErrorKind::kInput;
  outcome.message = "cut";
  return outcome;
}

const std::vector<BatchProgress::Video> kVideos = {
    {"s1/e1.mkv", 100}, {"s1/e2.mkv", 300}, {"s1/e3.mkv", 600}};

TEST(BatchProgress, ShowsTheShareOfAllBytes) {
  BatchDesk desk;
  BatchProgress progress({.form = ProgressForm::kBar}, desk.port(), kVideos);
  progress.begin(1, 10);
  desk.now = 1;
  for (int i = 0; i < 5; ++i) progress.frame(1);
  // Half of 300 of 1000 bytes in a second: 5.67 are left.
  desk.now = 1.2;
  desk.take();
  progress.frame(1);
  EXPECT_THAT(desk.take(), HasSubstr("0/3 videos  18%"));
  progress.end(1, outcome(VideoOutcome::State::kScored));
  progress.begin(0, std::nullopt);
  desk.now = 3;
  progress.frame(0);
  const std::string line = desk.take();
  EXPECT_THAT(line, HasSubstr("1/3 videos  30%"));
  EXPECT_THAT(line, HasSubstr("0:07 left"));
  EXPECT_THAT(line, HasSubstr("e1.mkv"));
  EXPECT_THAT(line, Not(HasSubstr("failed")));
}

TEST(BatchProgress, WhatIsKeptIsNoWork) {
  BatchDesk desk;
  BatchProgress progress({.form = ProgressForm::kBar}, desk.port(), kVideos);
  progress.end(2, outcome(VideoOutcome::State::kKept));
  progress.end(1, outcome(VideoOutcome::State::kFailed));
  progress.begin(0, 4);
  desk.now = 1;
  progress.frame(0);
  const std::string line = desk.take();
  EXPECT_THAT(line, HasSubstr("2/3 videos  81%"));  // 300 and a fourth of 100, of 400
  EXPECT_THAT(line, HasSubstr("1 failed"));
}

TEST(BatchProgress, AVideoThatIsPutOffIsNotCounted) {
  BatchDesk desk;
  BatchProgress progress({.form = ProgressForm::kJson}, desk.port(), kVideos);
  progress.begin(0, 4);
  progress.end(0, outcome(VideoOutcome::State::kLeft));
  progress.finish();
  EXPECT_THAT(desk.take(), HasSubstr("\"ended\": 0, \"failed\": 0"));
}

TEST(BatchProgress, TellsProgramsInJson) {
  BatchDesk desk;
  BatchProgress progress({.form = ProgressForm::kJson}, desk.port(), {{"a\"b\n.mkv", 1}});
  progress.begin(0, std::nullopt);
  desk.now = 2;
  progress.frame(0);
  progress.end(0, outcome(VideoOutcome::State::kFailed));
  progress.finish();
  std::istringstream lines(desk.take());
  std::vector<nlohmann::json> events;
  for (std::string line; std::getline(lines, line);) events.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0],
            nlohmann::json({{"event", "begin"}, {"video", "a\"b\n.mkv"}, {"index", 0}, {"frames", nullptr}}));
  EXPECT_EQ(events[1].at("running")[0].at("frames"), 1);
  EXPECT_EQ(events[1].at("percent"), 0.0);
  EXPECT_EQ(events[2].at("state"), "failed");
  EXPECT_EQ(events[2].at("error"), "cut");
  EXPECT_EQ(events[3].at("elapsed_seconds"), 2.0);
}

TEST(BatchProgress, ALogHasALineForEachVideo) {
  BatchDesk desk;
  BatchProgress progress({.form = ProgressForm::kPlain}, desk.port(), kVideos);
  progress.begin(0, 1);
  progress.frame(0);
  VideoOutcome scored = outcome(VideoOutcome::State::kScored);
  scored.scores.emplace();
  scored.scores->frames = 24;
  scored.scores->metrics.push_back({.metric = {"cambi", {}}, .statistics = {{"mean", 1.25}}, .cells = {}});
  progress.end(0, scored);
  progress.end(1, outcome(VideoOutcome::State::kKept));
  progress.end(2, outcome(VideoOutcome::State::kFailed));
  progress.finish();
  EXPECT_EQ(desk.take(), "1/3  s1/e1.mkv  cambi 1.250  24 frames\n3/3  s1/e1.mkv  failed\n");
}

}  // namespace
}  // namespace vq::cli
