// Several features over one stream of frames on the CPU, and what a run asks of its features together.
#include "feature/host_extractor.h"

#include <gmock/gmock.h>

#include <atomic>

#include "core/worker_pool.h"
#include "feature/extractor.h"
#include "feature/stage_clock.h"
#include "tests/support/expect_error.h"
#include "tests/support/row_sink.h"

namespace vq {
namespace {

using test::numbered_pair;
using ::testing::ElementsAre;

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
  std::string simd() const override { return "none"; }

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

// A feature that tells no stages is one; what was computed is counted, repeated frames are not.
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
    EXPECT_EQ(report.computed_frames, 1);
    EXPECT_EQ(report.unreported_frames, 1);
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
  EXPECT_THAT(sink.around, ::testing::AllOf(::testing::SizeIs(5), ::testing::Each(pace::kScoring)));
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

TEST_F(HostExtractorTest, EveryFeatureScoresEveryFrameInOrder) {
  add(10);
  add(-1);
  make(3);
  for (int i = 0; i < 5; ++i) extractor_->push(numbered_pair(i), sink_);
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

TEST_F(HostExtractorTest, ARepeatedFrameIsScoredByNobody) {
  add(10);
  make(1);
  extractor_->push(numbered_pair(3), sink_);
  extractor_->push(numbered_pair(4, kMaxPlanes), sink_);
  extractor_->finish(sink_);
  EXPECT_THAT(sink_.rows, ElementsAre(ElementsAre(3, 30), ElementsAre(4, 30)));
  EXPECT_EQ(calls_[0], 1);
  EXPECT_EQ(extractor_->backend_report().repeated_frames, 1);
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
constexpr Backend kCpuOnly[] = {Backend::kCpu};

FeatureInfo plain_info() {
  FeatureInfo info;
  info.name = "plain";
  info.options = kNoOptions;
  info.backends = kCpuOnly;
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

TEST(Features, ABackendThatAFeatureLacksIsAnError) {
  const FeatureInfo info = plain_info();
  WorkerPool pool(1);
  const std::vector<FeatureRequest> requests = {{&info, OptionSet(info.options)}};
  for (const Backend backend : {Backend::kScalar, Backend::kHybrid, Backend::kVulkan}) {
    test::expect_error(ErrorKind::kBackend, {"plain", to_string(backend)},
                       [&] { make_extractor(requests, {}, {.backend = backend, .pool = &pool}); });
  }
}

}  // namespace
}  // namespace vq
