// What becomes of a feature's words, and of values that follow from the frames before.
#include "engine/evaluator.h"

#include <gmock/gmock.h>

#include <new>
#include <optional>
#include <utility>

#include "cli/pictures/picture_tap.h"
#include "cli/run/run_outputs.h"
#include "core/error.h"
#include "core/worker_pool.h"

namespace vq::cli {
namespace {

using ::testing::ElementsAre;

constexpr Backend kBackends[] = {Backend::kCpu};
constexpr MetricInfo kMetrics[] = {{.name = "level"}, {.name = "rise"}};

// The first sample of a frame in words and as a number, and by how much it rose.
class LevelFeature final : public HostFeature {
 public:
  FrameResult score(const FramePair& frames) override {
    const int level = frames.distorted.luma().u8.row(0)[0];
    return {.values = {static_cast<double>(level), -1}, .texts = {"level " + std::to_string(level)}};
  }
  std::string simd() const override { return "scalar"; }
};

class Rise final : public FrameSequence {
 public:
  std::vector<FrameValues> next(const FrameResult& result) override {
    const double level = result.values[0];
    return {{level, level - std::exchange(last_, level)}};
  }

 private:
  double last_ = 0;
};

template <bool kEveryFrame>
const FeatureInfo& level_feature() {
  static const FeatureInfo kInfo = {
      .name = "level",
      .backends = kBackends,
      .metrics = kMetrics,
      .metric_names =
          [](const OptionSet&) {
            return std::vector<std::string>{"level", "rise"};
          },
      .needs_reference = [](const OptionSet&) { return false; },
      .needs_every_frame = [](const OptionSet&) { return kEveryFrame; },
      .text_names = [](const OptionSet&) { return std::vector<std::string>{"words"}; },
      .make_sequence = [](const OptionSet&) -> std::unique_ptr<FrameSequence> {
        return std::make_unique<Rise>();
      },
      .make = [](const OptionSet&, const VideoFormats&, const Execution&) -> std::unique_ptr<HostFeature> {
        return std::make_unique<LevelFeature>();
      },
  };
  return kInfo;
}

// Scores frames with these levels; those at odd places are not reported where `every_second` says so.
Report scorer_report(const FeatureInfo& info, const std::vector<uint8_t>& levels, bool every_second) {
  WorkerPool pool(2);
  Evaluator scorer({{.info = &info, .options = OptionSet({})}}, {}, {}, {.execution = {.pool = &pool}});
  for (size_t i = 0; i < levels.size(); ++i) {
    FramePair pair;
    pair.index = pair.distorted.index = static_cast<int64_t>(i);
    pair.is_reported = !every_second || i % 2 == 0;
    pair.distorted.planes[0].u8 = {&levels[i], 1, 1, 1};
    pair.distorted.repeated_planes = i > 0 && levels[i] == levels[i - 1] ? kMaxPlanes : 0;
    scorer.push(pair);
  }
  scorer.finish();
  Report report;
  scorer.fill(report);
  return report;
}

TEST(Evaluator, WordsAndValuesThatFollowFromTheFramesBefore) {
  const Report report = scorer_report(level_feature<true>(), {3, 10, 10, 4}, false);
  EXPECT_EQ(report.metrics[0].values, (std::vector<double>{3, 10, 10, 4}));
  EXPECT_EQ(report.metrics[1].values, (std::vector<double>{3, 7, 0, -6}));
  EXPECT_EQ(report.texts,
            (std::vector<TextSeries>{{"words", {"level 3", "level 10", "level 10", "level 4"}}}));
}

TEST(Evaluator, FramesBetweenThoseReportedCountWhereAFeatureNeedsThem) {
  EXPECT_EQ(scorer_report(level_feature<true>(), {3, 10, 12, 12, 4}, true).metrics[1].values,
            (std::vector<double>{3, 2, -8}));
  EXPECT_EQ(scorer_report(level_feature<false>(), {3, 10, 12, 12, 4}, true).metrics[1].values,
            (std::vector<double>{3, 9, -8}));
}

// The level of the frame after each; that of the last is its own. The level stands in front of it, and a late
// one behind the metrics of other features.
class Ahead final : public FrameSequence {
 public:
  std::vector<FrameValues> next(const FrameResult& result) override {
    const double level = result.values[0];
    std::vector<FrameValues> complete;
    if (last_) complete.push_back({*last_, level});
    last_ = level;
    return complete;
  }
  std::vector<FrameValues> finish() override {
    return last_ ? std::vector<FrameValues>{{*last_, *last_}} : std::vector<FrameValues>();
  }

 private:
  std::optional<double> last_;
};

constexpr MetricInfo kLateMetrics[] = {{.name = "first"}, {.name = "ahead", .is_late = true}};

FeatureInfo ahead_feature(bool every_frame) {
  FeatureInfo info = every_frame ? level_feature<true>() : level_feature<false>();
  info.name = "ahead";
  info.metrics = kLateMetrics;
  info.metric_names = [](const OptionSet&) { return std::vector<std::string>{"first", "ahead"}; };
  info.text_names = nullptr;
  info.make_sequence = [](const OptionSet&) -> std::unique_ptr<FrameSequence> {
    return std::make_unique<Ahead>();
  };
  return info;
}

TEST(Evaluator, ValuesThatNeedTheNextFrameComeBehindThoseOfAllFeatures) {
  const FeatureInfo ahead = ahead_feature(true);
  EXPECT_EQ(scorer_report(ahead, {3, 10, 12, 12, 4}, true).metrics[1].values,
            (std::vector<double>{10, 12, 4}));
  const FeatureInfo of_reported = ahead_feature(false);
  EXPECT_EQ(scorer_report(of_reported, {3, 10, 12, 12, 4}, true).metrics[1].values,
            (std::vector<double>{12, 4, 4}));
  const std::vector<FeatureRequest> both = {{.info = &ahead, .options = OptionSet({})},
                                            {.info = &level_feature<true>(), .options = OptionSet({})}};
  EXPECT_THAT(metric_names(both), ElementsAre("first", "level", "rise", "ahead"));
}

// What a failing video leaves: the frame before the failure is the last.
class FailingFeature final : public HostFeature {
 public:
  FrameResult score(const FramePair& frames) override {
    if (frames.index == 2) throw Error(ErrorKind::kInput, "broken");
    return {.values = {static_cast<double>(frames.index), -1}};
  }
  std::string simd() const override { return "scalar"; }
};

void push_five(Evaluator& scorer) {
  for (int64_t i = 0; i < 5; ++i) {
    FramePair pair;
    pair.index = pair.distorted.index = i;
    scorer.push(pair);
  }
  scorer.finish();
}

TEST(Evaluator, OfAVideoThatFailsTheFrameBeforeIsTheLast) {
  FeatureInfo info = ahead_feature(true);
  info.make = [](const OptionSet&, const VideoFormats&, const Execution&) -> std::unique_ptr<HostFeature> {
    return std::make_unique<FailingFeature>();
  };
  WorkerPool pool(1);
  Evaluator scorer({{.info = &info, .options = OptionSet({})}}, {}, {}, {.execution = {.pool = &pool}});
  EXPECT_THROW(push_five(scorer), Error);
  scorer.finish();
  Report report;
  scorer.fill(report);
  EXPECT_EQ(report.metrics[1].values, (std::vector<double>{1, 1}));
}

// Has taken the third frame when it fails, as where memory is missing.
class FailingSequence final : public FrameSequence {
 public:
  std::vector<FrameValues> next(const FrameResult& result) override {
    const std::optional<double> before = std::exchange(last_, result.values[0]);
    if (last_ == 2) throw std::bad_alloc();
    return before ? std::vector<FrameValues>{{*before, *last_}} : std::vector<FrameValues>();
  }
  std::vector<FrameValues> finish() override { return {{*last_, *last_}}; }

 private:
  std::optional<double> last_;
};

class IndexFeature final : public HostFeature {
 public:
  FrameResult score(const FramePair& frames) override {
    return {.values = {static_cast<double>(frames.index), -1}};
  }
  std::string simd() const override { return "scalar"; }
};

TEST(Evaluator, ASequenceThatFailsAmidAFrameGivesThatFramesScoresToNoOther) {
  FeatureInfo info = ahead_feature(true);
  info.make = [](const OptionSet&, const VideoFormats&, const Execution&) -> std::unique_ptr<HostFeature> {
    return std::make_unique<IndexFeature>();
  };
  info.make_sequence = [](const OptionSet&) -> std::unique_ptr<FrameSequence> {
    return std::make_unique<FailingSequence>();
  };
  WorkerPool pool(1);
  Evaluator scorer({{.info = &info, .options = OptionSet({})}}, {}, {}, {.execution = {.pool = &pool}});
  EXPECT_THROW(push_five(scorer), std::bad_alloc);
  scorer.finish();
  Report report;
  scorer.fill(report);
  EXPECT_EQ(report.metrics[0].values, std::vector<double>{0});
  EXPECT_EQ(report.metrics[1].values, std::vector<double>{1});
}

// Takes down what it is shown.
struct Watching final : FrameObserver {
  void frame(const ScoredFrame& frame) override {
    rows.push_back({frame.score, frame.others[0], static_cast<double>(frame.picture.luma().u8.row(0)[0])});
  }
  std::vector<std::vector<double>> rows;
};

TEST(Evaluator, PicturesAreShownOnceAllValuesAreKnown) {
  static constexpr MetricInfo kJudged[] = {{.name = "psnr_y"}, {.name = "psnr_cb", .is_late = true}};
  FeatureInfo info = ahead_feature(true);
  info.metrics = kJudged;
  info.metric_names = [](const OptionSet&) { return std::vector<std::string>{"psnr_y", "psnr_cb"}; };
  WorkerPool pool(2);
  Watching watching;
  const std::vector<FeatureRequest> features = {{.info = &info, .options = OptionSet({})}};
  PictureTap tap(features, {}, {&watching});
  Evaluator scorer(features, {}, {}, {.execution = {.pool = &pool}}, {&tap});
  tap.attach(scorer);
  const std::vector<uint8_t> levels = {3, 10, 4};
  for (size_t i = 0; i < levels.size(); ++i) {
    FramePair pair;
    pair.index = pair.distorted.index = static_cast<int64_t>(i);
    pair.distorted.planes[0].u8 = {&levels[i], 1, 1, 1};
    scorer.push(pair);
  }
  scorer.finish();
  EXPECT_THAT(watching.rows,
              ElementsAre(ElementsAre(3, 10, 3), ElementsAre(10, 4, 10), ElementsAre(4, 4, 4)));
}

// What observers hear, in order.
struct Listening final : EvaluationObserver {
  void pushed(const FramePair& frames, int64_t row) override {
    heard += "pushed " + std::to_string(frames.index) + " as " + std::to_string(row) + "\n";
  }
  void found(const FrameScores& scores) override {
    if (scores.frame == fails_at) throw Error(ErrorKind::kOutput, "disk full");
    heard += "found " + std::to_string(scores.frame) + "\n";
  }
  void counted(const FrameScores* scores, int64_t rows) override {
    heard += (scores != nullptr ? "counted " : "ended with ") + std::to_string(rows) + "\n";
  }
  int64_t fails_at = -1;
  std::string heard;
};

TEST(Evaluator, ObserversHearOfFramesInOrderAndOnceTheyCount) {
  WorkerPool pool(1);
  Listening listening;
  Evaluator evaluator({{.info = &level_feature<true>(), .options = OptionSet({})}}, {}, {},
                      {.execution = {.pool = &pool}}, {&listening});
  const uint8_t level = 3;
  for (int64_t i = 0; i < 3; ++i) {
    FramePair pair;
    pair.index = pair.distorted.index = i;
    pair.is_reported = i != 1;
    pair.distorted.planes[0].u8 = {&level, 1, 1, 1};
    evaluator.push(pair);
    evaluator.finish();  // so that one is through before the next
    EXPECT_EQ(evaluator.scored(), i < 2 ? 1 : 2);
  }
  EXPECT_EQ(evaluator.scored(), 2);
  EXPECT_THAT(listening.heard, ::testing::StartsWith("pushed 0 as 0\nfound 0\ncounted 1\n"));
  EXPECT_THAT(listening.heard,
              ::testing::HasSubstr("found 1\ncounted 1\npushed 2 as 1\nfound 2\ncounted 2\n"));
}

// A frame that could not be written does not count.
TEST(Evaluator, AnObserverThatFailsEndsTheEvaluationBeforeItsFrame) {
  WorkerPool pool(1);
  Listening listening;
  listening.fails_at = 1;
  Evaluator evaluator({{.info = &level_feature<true>(), .options = OptionSet({})}}, {}, {},
                      {.execution = {.pool = &pool}}, {&listening});
  const uint8_t level = 3;
  const auto push_all = [&] {
    for (int64_t i = 0; i < 5; ++i) {
      FramePair pair;
      pair.index = pair.distorted.index = i;
      pair.distorted.planes[0].u8 = {&level, 1, 1, 1};
      evaluator.push(pair);
    }
    evaluator.finish();
  };
  EXPECT_THROW(push_all(), Error);
  EXPECT_EQ(evaluator.scored(), 1);
}

TEST(Evaluator, TheStreamHasWordsWhereThereAreSome) {
  ScoredRow row{.frame = 7, .timestamp = 0.5, .metrics = {{"level", 2}}, .texts = {}};
  EXPECT_EQ(score_line(row, {}),
            "{\"frameNum\": 7, \"timestamp\": 0.500000, \"metrics\": {\"level\": 2.000000}}\n");
  row.texts = {{"words", "say \"two\""}, {"more", ""}};
  EXPECT_EQ(score_line(row, {}),
            "{\"frameNum\": 7, \"timestamp\": 0.500000, \"metrics\": {\"level\": 2.000000}, "
            "\"texts\": {\"words\": \"say \\\"two\\\"\", \"more\": \"\"}}\n");
}

}  // namespace
}  // namespace vq::cli
