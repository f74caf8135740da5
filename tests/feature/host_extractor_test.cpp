// Several features over one stream of frames on the CPU, and what a run asks of its features together.

#include "core/synthetic_frame.h"
#include "feature/extractor.h"
#include "feature/stage_clock.h"
#include "tests/support/expect_error.h"
#include "tests/support/row_sink.h"

namespace vq {
namespace {

using test::numbered_pair;

// Reports the frame's number times a factor.
class Multiplier final : public HostFeature {
 public:
  Multiplier(double factor, std::atomic<int>& calls, int64_t fails_at = -1)
      : factor_(factor), calls_(calls), fails_at_(fails_at) {}
  FrameResult score(const FramePair& frames) override {
    ++calls_;
    if (frames.index == fails_at_)
      throw Error(ErrorKind::kMismatch, "bad frame " + std::to_string(frames.index));
    return {.values = {factor_ * static_cast<double>(frames.index)}, .tallies = {1}};
  }

 private:
  const double factor_;
  std::atomic<int>& calls_;
  const int64_t fails_at_;
};

class HostExtractorTest : public ::testing::Test {
 protected:
  void add(double factor, bool every_frame = false, int64_t fails_at = -1) {
    parts_.push_back({std::make_unique<Multiplier>(factor, calls_[parts_.size()], fails_at), every_frame});
  }
  void make(int threads) {
    pool_ = std::make_unique<WorkerPool>(threads);
    extractor_ = make_host_extractor(std::move(parts_), {}, {}, {.pool = pool_.get()});
  }
  std::array<std::atomic<int>, 2> calls_{};
  std::vector<HostPart> parts_;
  std::unique_ptr<WorkerPool> pool_;
  std::unique_ptr<FeatureExtractor> extractor_;
  test::RowSink sink_;
};

// A feature that tells no stages is one.
TEST_F(HostExtractorTest, TellsWhatEveryFeatureTook) {
  for (const bool several : {false, true}) {
    add(10);
    parts_.back().name = "tens";
    if (several) add(-1, true);
    pool_ = std::make_unique<WorkerPool>(2);
    extractor_ = make_host_extractor(std::move(parts_), {}, {}, {.pool = pool_.get(), .time_stages = true});
    extractor_->push(numbered_pair(0), sink_);
    extractor_->push(numbered_pair(1, kMaxPlanes), sink_);
    extractor_->push(numbered_pair(2, 0, false), sink_);
    extractor_->finish(sink_);
    const BackendReport report = extractor_->backend_report();
    ASSERT_EQ(report.host_stages.size(), several ? 2u : 1u);
    EXPECT_EQ(report.host_stages[0].stage, several ? "tens: score" : "score");
    EXPECT_GT(report.host_stages[0].ms, 0);
  }
  add(10);
  make(1);
  extractor_->push(numbered_pair(0), sink_);
  EXPECT_TRUE(extractor_->backend_report().host_stages.empty());  // nobody asked
}

// Those who push learn how long they wait for scores, without what they do with them.
TEST_F(HostExtractorTest, TimesWhatItsCallerWaitsFor) {
  class TimingSink final : public ScoreSink {
   public:
    explicit TimingSink(StageClock& clock) : clock_(clock) {}
    void scored(const FrameScores&) override {
      around.push_back(clock_.switch_to("within"));
      clock_.switch_to(around.back());
    }
    std::vector<std::string_view> around;

   private:
    StageClock& clock_;
  };
  StageClock clock("caller");
  TimingSink sink(clock);
  add(10);
  pool_ = std::make_unique<WorkerPool>(2);
  extractor_ = make_host_extractor(std::move(parts_), {}, {}, {.pool = pool_.get(), .clock = &clock});
  for (int64_t i = 0; i < 5; ++i) extractor_->push(numbered_pair(i), sink);
  extractor_->finish(sink);
  EXPECT_THAT(sink.around, AllOf(SizeIs(5), Each(pace::kScoring)));
  EXPECT_EQ(clock.switch_to({}), "caller");
}

// Before the first feature that needs it, whatever others need; where none does, all samples are fine.
TEST_F(HostExtractorTest, RefusesLumaBeyondItsDepthWhereAFeatureNeedsThat) {
  std::vector<uint16_t> good = {1023}, bad = {1024};
  const VideoFormats formats = {{.name = "a", .bit_depth = 10}, VideoFormat{.name = "b", .bit_depth = 10}};
  using enum BoundedLuma;
  struct Case {
    std::array<BoundedLuma, 2> bounded;
    bool distorted_is_bad, reference_is_bad;
    std::string named;
  };
  for (const auto& [bounded, distorted_is_bad, reference_is_bad, named] :
       {Case{{kNone, kNone}, true, true, ""}, Case{{kNone, kReference}, true, false, ""},
        Case{{kNone, kReference}, false, true, "b: frame 0: luma sample 1024"},
        Case{{kReference, kBoth}, true, true, "b: frame 0: "},
        Case{{kBoth, kReference}, true, true, "a: frame 0: "},
        Case{{kReference, kBoth}, true, false, "a: frame 0: "}, Case{{kBoth, kBoth}, false, false, ""}}) {
    for (const BoundedLuma each : bounded) {
      add(1);
      parts_.back().bounded_luma = each;
    }
    pool_ = std::make_unique<WorkerPool>(1);
    extractor_ = make_host_extractor(std::move(parts_), {.planes = 1, .reference = true}, formats,
                                     {.pool = pool_.get()});
    FramePair pair = numbered_pair(0);
    pair.distorted.luma() = {.u8 = {}, .u16 = {(distorted_is_bad ? bad : good).data(), 1, 1, 1}};
    pair.reference = pair.distorted;
    pair.reference->luma() = {.u8 = {}, .u16 = {(reference_is_bad ? bad : good).data(), 1, 1, 1}};
    const auto score = [&] {
      extractor_->push(pair, sink_);
      extractor_->finish(sink_);
    };
    if (named.empty()) {
      EXPECT_NO_THROW(score());
    } else {
      test::expect_error(ErrorKind::kMismatch, {named}, score);
    }
    parts_.clear();
  }
}

// Frames may follow finish().
TEST_F(HostExtractorTest, EveryFeatureScoresEveryFrameInOrder) {
  add(10);
  add(-1);
  make(3);
  for (int i = 0; i < 5; ++i) {
    extractor_->push(numbered_pair(i), sink_);
    if (i % 3 == 0) extractor_->finish(sink_);
  }
  extractor_->finish(sink_);
  EXPECT_THAT(sink_.rows, ElementsAre(ElementsAre(0, 0, 0), ElementsAre(1, 10, -1), ElementsAre(2, 20, -2),
                                      ElementsAre(3, 30, -3), ElementsAre(4, 40, -4)));
}

TEST_F(HostExtractorTest, FramesThatAreNotReportedGoToThoseThatNeedEveryFrame) {
  add(10);
  add(-1, true);
  make(2);
  for (int i = 0; i < 4; ++i) extractor_->push(numbered_pair(i, 0, i % 2 == 0), sink_);
  extractor_->finish(sink_);
  EXPECT_THAT(sink_.reported, ElementsAre(true, false, true, false));
  EXPECT_THAT(sink_.rows, ElementsAre(ElementsAre(0, 0, 0), ElementsAre(1, -1), ElementsAre(2, 20, -2),
                                      ElementsAre(3, -3)));
  EXPECT_EQ(calls_[0], 2);
  EXPECT_EQ(calls_[1], 4);
}

TEST_F(HostExtractorTest, TheLowestFailingFrameEndsTheRunAfterThoseBefore) {
  add(10, false, 3);
  add(-1, false, 2);
  make(3);
  test::expect_error(ErrorKind::kMismatch, {"bad frame 2"}, [&] {
    for (int i = 0; i < 6; ++i) extractor_->push(numbered_pair(i), sink_);
    extractor_->finish(sink_);
  });
  EXPECT_EQ(sink_.rows.size(), 2U);
}

constexpr OptionSpec kNoOptions[] = {{.name = "nothing", .kind = OptionKind::kBool}};

FeatureInfo plain_info() {
  FeatureInfo info;
  info.name = "plain";
  info.options = kNoOptions;
  info.needs_reference = [](const OptionSet&) { return false; };
  return info;
}

TEST(Features, AreAskedTogetherForPlanesAndReference) {
  const FeatureInfo luma = plain_info();
  FeatureInfo colour = plain_info();
  colour.planes = [](const OptionSet&) { return 3; };
  FeatureInfo pair = plain_info();
  pair.needs_reference = [](const OptionSet&) { return true; };
  const auto use = [](const std::vector<const FeatureInfo*>& infos) {
    std::vector<FeatureRequest> requests;
    for (const FeatureInfo* info : infos) requests.push_back({info, OptionSet(info->options)});
    return frame_needs(requests);
  };
  EXPECT_EQ(use({&luma}).planes, 1);
  EXPECT_FALSE(use({&luma}).reference);
  EXPECT_EQ(use({&luma, &colour}).planes, 3);
  EXPECT_TRUE(use({&pair, &colour}).reference);
}

// Runs beside each other: their scores are those of lone runs, however they are together.

using test::RowSink;

// Scores the distorted frame's bit depth, of which the frames of one reference differ; below 0 there is an
// error. Remembers of how many pairs each call was.
class Depths final : public HostFeature {
 public:
  explicit Depths(std::vector<size_t>& calls) : calls_(calls) {}
  FrameResult score(const FramePair& frames) override {
    const FramePair* const one = &frames;
    return std::move(score_together({&one, 1}).front());
  }
  std::vector<FrameResult> score_together(std::span<const FramePair* const> pairs) override {
    {
      const std::lock_guard lock(mutex_);
      calls_.push_back(pairs.size());
    }
    std::vector<FrameResult> results;
    for (const FramePair* const pair : pairs) {
      if (pair->distorted.bit_depth < 0) throw Error(ErrorKind::kMismatch, "bad frame");
      results.push_back({.values = {static_cast<double>(pair->distorted.bit_depth)}});
    }
    return results;
  }

 private:
  std::mutex mutex_;
  std::vector<size_t>& calls_;
};

// One run of a group, whose frames are pushed by hand.
struct GroupRun {
  GroupRun(ScoringGroup& group, std::shared_ptr<HostFeature> feature)
      : extractor(make_host_extractor(parts_of(std::move(feature)), {.reference = true}, {},
                                      {.pool = &group.pool(), .group = &group})) {}
  static std::vector<HostPart> parts_of(std::shared_ptr<HostFeature> feature) {
    std::vector<HostPart> parts;
    parts.push_back({.feature = std::move(feature), .is_shared = true});
    return parts;
  }
  void push(int64_t number, int depth, const uint8_t* reference) {
    FramePair pair = test::numbered_pair(number);
    pair.distorted.bit_depth = depth;
    pair.reference.emplace().luma().u8 = {reference, 1, 1, 1};
    extractor->push(pair, sink);
  }

  RowSink sink;
  std::unique_ptr<FeatureExtractor> extractor;
};

class ScoringGroupTest : public ::testing::Test {
 protected:
  static constexpr uint8_t kPictures[] = {0, 0};
  static constexpr const uint8_t* kReference = &kPictures[0];

  std::vector<size_t> calls_;
  ScoringGroup group_{1, 2};  // with one thread, tasks run where they are begun
  const std::shared_ptr<HostFeature> feature_ = std::make_shared<Depths>(calls_);
};

TEST_F(ScoringGroupTest, ScoresFramesOfOneNumberTogether) {
  GroupRun a(group_, feature_), b(group_, feature_), c(group_, feature_);
  for (int64_t i = 0; i < 3; ++i) {
    a.push(i, 1, kReference);
    b.push(i, 2, kReference);
    c.push(i, 3, kReference);
  }
  for (GroupRun* const run : {&a, &b, &c}) run->extractor->finish(run->sink);
  EXPECT_THAT(calls_, ElementsAre(3, 3, 3));
  EXPECT_THAT(b.sink.rows, ElementsAre(ElementsAre(0, 2), ElementsAre(1, 2), ElementsAre(2, 2)));
}

// Crops and fittings of their own give each run a picture of its own.
TEST_F(ScoringGroupTest, ScoresFramesWithOtherReferencesByThemselves) {
  GroupRun a(group_, feature_), b(group_, feature_), c(group_, feature_);
  a.push(0, 1, kReference);
  b.push(0, 2, &kPictures[1]);
  c.push(0, 3, kReference);
  EXPECT_THAT(calls_, ElementsAre(2, 1));
  c.extractor->finish(c.sink);
  b.extractor->finish(b.sink);
  EXPECT_THAT(b.sink.rows, ElementsAre(ElementsAre(0, 2)));
  EXPECT_THAT(c.sink.rows, ElementsAre(ElementsAre(0, 3)));
}

// A run that has as many frames in flight as it may begins them without the others, who then score theirs.
TEST_F(ScoringGroupTest, NoRunWaitsForAnother) {
  GroupRun a(group_, feature_), b(group_, feature_);
  for (int64_t i = 0; i < 4; ++i) a.push(i, 1, kReference);
  EXPECT_THAT(calls_, ElementsAre(1));
  EXPECT_THAT(a.sink.frames, ElementsAre(0));
  b.push(0, 2, kReference);
  b.push(1, 2, kReference);
  EXPECT_THAT(calls_, ElementsAre(1, 1, 2));
  a.extractor->finish(a.sink);
  EXPECT_THAT(calls_, ElementsAre(1, 1, 2, 1, 1));
  EXPECT_THAT(a.sink.frames, ElementsAre(0, 1, 2, 3));
  b.extractor->finish(b.sink);
  EXPECT_THAT(b.sink.rows, ElementsAre(ElementsAre(0, 2), ElementsAre(1, 2)));
}

TEST_F(ScoringGroupTest, ARunThatFailsEndsNoOther) {
  GroupRun a(group_, feature_), b(group_, feature_), c(group_, feature_);
  a.push(0, 1, kReference);
  b.push(0, -1, kReference);
  c.push(0, 3, kReference);
  a.push(1, 1, kReference);
  b.push(1, 2, kReference);
  EXPECT_THROW(b.extractor->finish(b.sink), Error);
  c.push(1, 3, kReference);
  a.push(2, 1, kReference);
  c.push(2, 3, kReference);
  for (GroupRun* const run : {&a, &c}) {
    run->extractor->finish(run->sink);
    EXPECT_THAT(run->sink.frames, ElementsAre(0, 1, 2));
  }
  // Three in vain and then one by one; three; two once the one that failed has left.
  EXPECT_THAT(calls_, ElementsAre(3, 1, 1, 1, 3, 2));
}

TEST_F(ScoringGroupTest, ARunMayEndWithFramesInFlight) {
  GroupRun a(group_, feature_);
  auto b = std::make_unique<GroupRun>(group_, feature_);
  b->push(0, 2, kReference);
  b.reset();
  EXPECT_THAT(calls_, ElementsAre(1));
  a.push(0, 1, kReference);
  EXPECT_THAT(calls_, ElementsAre(1, 1));
}

TEST(SharingKey, IsThatOfPicturesAndOptionsWithoutNames) {
  FeatureRequest request{.info = &find_feature("ssimulacra2"),
                         .options = OptionSet(find_feature("ssimulacra2").options)};
  const VideoFormat video{.name = "a", .width = 64, .height = 48, .matrix = Matrix::kBt709};
  const VideoFormats formats{video, video};
  const std::string key = sharing_key(request, formats);
  VideoFormats other = formats;
  other.distorted.name = "b";
  EXPECT_EQ(sharing_key(request, other), key);
  other.distorted.matrix = Matrix::kBt601;
  EXPECT_NE(sharing_key(request, other), key);
  request.heatmaps = true;
  EXPECT_NE(sharing_key(request, formats), key);
  request.heatmaps = false;
  request.options.set("form", "exact");
  EXPECT_NE(sharing_key(request, formats), key);
}

// Keeps all that a feature finds.
struct ResultSink : ScoreSink {
  void scored(const FrameScores& scores) override {
    std::vector<double>& row = rows.emplace_back(1, static_cast<double>(scores.frame));
    for (const FrameResult& result : scores.results) {
      row.insert(row.end(), result.values.begin(), result.values.end());
      for (const Plane<uint16_t>& map : result.heatmaps) {
        for (int y = 0; y < map.height(); ++y) row.insert(row.end(), map.row(y), map.row(y) + map.width());
      }
    }
  }
  std::vector<std::vector<double>> rows;
};

constexpr int kRuns = 3;
constexpr int64_t kPairs = 7;

FramePair pair_of(int run, int64_t number, const VideoFormat& video, const std::vector<Frame>& references) {
  constexpr Synthetic kKinds[kRuns] = {Synthetic::kSoftFilm, Synthetic::kFilm, Synthetic::kNoise};
  FramePair pair{.distorted = synthetic_frame(kKinds[run], video, number + run % 2, kMaxPlanes),
                 .reference = references[static_cast<size_t>(number)],
                 .index = number};
  pair.distorted.index = number;
  return pair;
}

// The threads of the runs meet as it happens; scores do not depend on that.
TEST(ScoringGroup, GivesTheResultsOfLoneRuns) {
  for (const FeatureInfo* const info : features()) {
    if (!info->shares_reference) continue;
    for (const PlaneSize size : {PlaneSize{91, 70}, PlaneSize{40, 131}, PlaneSize{8, 9}}) {
      const VideoFormat video{
          .name = "a", .width = size.width, .height = size.height, .matrix = Matrix::kBt709};
      const std::vector<FeatureRequest> requests = {
          {.info = info, .options = OptionSet(info->options), .heatmaps = true}};
      std::vector<Frame> references;
      for (int64_t i = 0; i < kPairs; ++i)
        references.push_back(synthetic_frame(Synthetic::kFilm, video, i, kMaxPlanes));
      const auto score = [&](int run, const Execution& execution, ResultSink& sink) {
        const std::unique_ptr<FeatureExtractor> extractor =
            make_extractor(requests, {video, video}, execution);
        for (int64_t i = 0; i < kPairs; ++i) extractor->push(pair_of(run, i, video, references), sink);
        extractor->finish(sink);
      };
      std::array<ResultSink, kRuns> lone;
      WorkerPool pool(1);
      for (size_t i = 0; i < kRuns; ++i) {
        score(static_cast<int>(i), {.pool = &pool}, lone[i]);
        ASSERT_EQ(lone[i].rows.size(), static_cast<size_t>(kPairs));
      }
      for (const int threads : {1, 3}) {
        ScoringGroup group(threads, 2);
        std::array<ResultSink, kRuns> grouped;
        {
          std::vector<std::jthread> runs;
          for (int i = 0; i < kRuns; ++i) {
            runs.emplace_back([&, i] {
              score(i, {.pool = &group.pool(), .group = &group}, grouped[static_cast<size_t>(i)]);
            });
          }
        }
        for (size_t i = 0; i < kRuns; ++i)
          EXPECT_EQ(grouped[i].rows, lone[i].rows) << info->name << " of run " << i;
      }
    }
  }
}

}  // namespace
}  // namespace vq
