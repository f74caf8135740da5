// What becomes of a feature's words, and of values that follow from the frames before.
#include "engine/evaluator.h"

#include "cli/run/run_outputs.h"
#include "tests/support/test.h"

namespace vq::cli {
namespace {

constexpr Backend kBackends[] = {Backend::kCpu};
constexpr MetricInfo kMetrics[] = {{.name = "level"}, {.name = "rise"}};

// The first sample of a frame in words and as a number, and by how much it rose. Throws at the failing level.
template <int kFailing>
class LevelFeature final : public HostFeature {
 public:
  FrameResult score(const FramePair& frames) override {
    const int level = frames.distorted.luma().u8.row(0)[0];
    if (level == kFailing) throw Error(ErrorKind::kInput, "broken");
    return {.values = {static_cast<double>(level), -1}, .texts = {"level " + std::to_string(level)}};
  }
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

template <bool kEveryFrame, int kFailing = -1>
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
        return std::make_unique<LevelFeature<kFailing>>();
      },
  };
  return kInfo;
}

std::vector<FeatureRequest> request_of(const FeatureInfo& info) {
  return {{.info = &info, .options = OptionSet({})}};
}

// An evaluation of one feature.
class LevelScorer {
 public:
  explicit LevelScorer(const FeatureInfo& info, std::vector<EvaluationObserver*> observers = {},
                       int threads = 1)
      : pool_(threads),
        evaluator_(request_of(info), {}, {}, {.execution = {.pool = &pool_}}, std::move(observers)) {}

  Evaluator& evaluator() { return evaluator_; }
  void push(uint8_t level, bool is_reported = true) {
    levels_.push_back(level);
    FramePair pair{.distorted = {}, .reference = {}, .index = static_cast<int64_t>(levels_.size()) - 1};
    pair.is_reported = is_reported;
    pair.distorted.index = pair.index;
    pair.distorted.planes[0].u8 = {&levels_.back(), 1, 1, 1};
    const bool is_repeat = pair.index > 0 && *(levels_.end() - 2) == level;
    pair.distorted.repeated_planes = is_repeat ? kMaxPlanes : 0;
    evaluator_.push(pair);
  }
  void push_all(const std::vector<uint8_t>& levels, bool every_second = false) {
    for (size_t i = 0; i < levels.size(); ++i) push(levels[i], !every_second || i % 2 == 0);
    evaluator_.finish();
  }
  Report report() {
    Report report;
    evaluator_.fill(report);
    return report;
  }

 private:
  std::deque<uint8_t> levels_;  // stay until no frame is under way
  WorkerPool pool_;
  Evaluator evaluator_;
};

// Scores frames with these levels; those at odd places are not reported if `every_second` says so.
Report scorer_report(const FeatureInfo& info, const std::vector<uint8_t>& levels, bool every_second) {
  LevelScorer scorer(info, {}, 2);
  scorer.push_all(levels, every_second);
  return scorer.report();
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

FeatureInfo ahead_of(FeatureInfo info) {
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
  const FeatureInfo ahead = ahead_of(level_feature<true>());
  EXPECT_EQ(scorer_report(ahead, {3, 10, 12, 12, 4}, true).metrics[1].values,
            (std::vector<double>{10, 12, 4}));
  const FeatureInfo of_reported = ahead_of(level_feature<false>());
  EXPECT_EQ(scorer_report(of_reported, {3, 10, 12, 12, 4}, true).metrics[1].values,
            (std::vector<double>{12, 4, 4}));
  std::vector<FeatureRequest> both = request_of(ahead);
  both.push_back(request_of(level_feature<true>()).front());
  EXPECT_THAT(metric_names(both), ElementsAre("first", "level", "rise", "ahead"));
}

TEST(Evaluator, OfAVideoThatFailsTheFrameBeforeIsTheLast) {
  const FeatureInfo info = ahead_of(level_feature<true, 2>());
  LevelScorer scorer(info);
  EXPECT_THROW(scorer.push_all({0, 1, 2, 3, 4}), Error);
  scorer.evaluator().finish();
  EXPECT_EQ(scorer.report().metrics[1].values, (std::vector<double>{1, 1}));
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

TEST(Evaluator, ASequenceThatFailsAmidAFrameGivesThatFramesScoresToNoOther) {
  FeatureInfo info = ahead_of(level_feature<true>());
  info.make_sequence = [](const OptionSet&) -> std::unique_ptr<FrameSequence> {
    return std::make_unique<FailingSequence>();
  };
  LevelScorer scorer(info);
  EXPECT_THROW(scorer.push_all({0, 1, 2, 3, 4}), std::bad_alloc);
  scorer.evaluator().finish();
  EXPECT_EQ(scorer.report().metrics[0].values, std::vector<double>{0});
  EXPECT_EQ(scorer.report().metrics[1].values, std::vector<double>{1});
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
  FeatureInfo info = ahead_of(level_feature<true>());
  info.metrics = kJudged;
  info.metric_names = [](const OptionSet&) { return std::vector<std::string>{"psnr_y", "psnr_cb"}; };
  Watching watching;
  PictureTap tap(request_of(info), {}, {&watching});
  LevelScorer scorer(info, {&tap}, 2);
  tap.attach(scorer.evaluator());
  scorer.push_all({3, 10, 4});
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
  Listening listening;
  LevelScorer scorer(level_feature<true>(), {&listening});
  for (int i = 0; i < 3; ++i) {
    scorer.push(static_cast<uint8_t>(3 + i), i != 1);
    scorer.evaluator().finish();  // so that one is through before the next
    EXPECT_EQ(scorer.evaluator().scored(), i < 2 ? 1 : 2);
  }
  EXPECT_THAT(listening.heard, StartsWith("pushed 0 as 0\nfound 0\ncounted 1\n"));
  EXPECT_THAT(listening.heard, HasSubstr("found 1\ncounted 1\npushed 2 as 1\nfound 2\ncounted 2\n"));
}

TEST(Evaluator, AnObserverThatFailsEndsTheEvaluationBeforeItsFrame) {
  Listening listening;
  listening.fails_at = 1;
  LevelScorer scorer(level_feature<true>(), {&listening});
  EXPECT_THROW(scorer.push_all({3, 4, 5, 6, 7}), Error);
  EXPECT_EQ(scorer.evaluator().scored(), 1);
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
