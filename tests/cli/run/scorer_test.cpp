// What becomes of a feature's words, and of values that follow from the frames before.
#include "cli/run/scorer.h"

#include <gtest/gtest.h>

#include "cli/run/score_stream.h"
#include "core/worker_pool.h"

namespace vq::cli {
namespace {

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
  void next(FrameResult& result) override {
    result.values[1] = result.values[0] - last_;
    last_ = result.values[0];
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
      .metric_names = [](const OptionSet&) { return std::vector<std::string>{"level", "rise"}; },
      .needs_reference = [](const OptionSet&) { return false; },
      .needs_every_frame = [](const OptionSet&) { return kEveryFrame; },
      .text_names = [](const OptionSet&) { return std::vector<std::string>{"words"}; },
      .make_sequence = [](const OptionSet&) -> std::unique_ptr<FrameSequence> { return std::make_unique<Rise>(); },
      .make = [](const OptionSet&, const InputFormats&, const Execution&) -> std::unique_ptr<HostFeature> {
        return std::make_unique<LevelFeature>();
      },
  };
  return kInfo;
}

// Scores frames with these levels; those at odd places are not reported where `every_second` says so.
Report report_of(const FeatureInfo& info, const std::vector<uint8_t>& levels, bool every_second) {
  WorkerPool pool(2);
  Scorer scorer({{.info = &info, .options = OptionSet({})}}, {}, {.execution = {.pool = &pool}, .on_fallback = {}});
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

TEST(Scorer, WordsAndValuesThatFollowFromTheFramesBefore) {
  const Report report = report_of(level_feature<true>(), {3, 10, 10, 4}, false);
  EXPECT_EQ(report.metrics[0].values, (std::vector<double>{3, 10, 10, 4}));
  EXPECT_EQ(report.metrics[1].values, (std::vector<double>{3, 7, 0, -6}));
  EXPECT_EQ(report.texts, (std::vector<TextSeries>{{"words", {"level 3", "level 10", "level 10", "level 4"}}}));
}

TEST(Scorer, FramesBetweenThoseReportedCountWhereAFeatureNeedsThem) {
  EXPECT_EQ(report_of(level_feature<true>(), {3, 10, 12, 12, 4}, true).metrics[1].values, (std::vector<double>{3, 2, -8}));
  EXPECT_EQ(report_of(level_feature<false>(), {3, 10, 12, 12, 4}, true).metrics[1].values, (std::vector<double>{3, 9, -8}));
}

TEST(Scorer, TheStreamHasWordsWhereThereAreSome) {
  ScoredRow row{.frame = 7, .timestamp = 0.5, .metrics = {{"level", 2}}, .texts = {}};
  EXPECT_EQ(score_line(row, {}), "{\"frameNum\": 7, \"timestamp\": 0.500000, \"metrics\": {\"level\": 2.000000}}\n");
  row.texts = {{"words", "say \"two\""}, {"more", ""}};
  EXPECT_EQ(score_line(row, {}),
            "{\"frameNum\": 7, \"timestamp\": 0.500000, \"metrics\": {\"level\": 2.000000}, "
            "\"texts\": {\"words\": \"say \\\"two\\\"\", \"more\": \"\"}}\n");
}

}  // namespace
}  // namespace vq::cli
