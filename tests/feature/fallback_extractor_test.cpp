#include "feature/extractor.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/expect_error.h"
#include "tests/support/row_sink.h"
#include "tests/support/test.h"

namespace vq {
namespace {

// Delivers with a delay of some frames, values telling who made them, and fails at a chosen call.
class FailingExtractor final : public FeatureExtractor {
 public:
  FailingExtractor(double who, int fail_at, size_t delay = 2, ErrorKind kind = ErrorKind::kBackend)
      : who_(who), fail_at_(fail_at), delay_(delay), kind_(kind) {}
  void push(const FramePair& frames, ScoreSink& sink) override {
    step();
    held_.push_back(frames.index);
    if (held_.size() > delay_) deliver(sink);
  }
  void finish(ScoreSink& sink) override {
    step();
    while (!held_.empty()) deliver(sink);
  }
  BackendReport backend_report() const override { return {.backend = who_ == 1 ? "first" : "second"}; }

 private:
  void step() {
    if (calls_++ == fail_at_) throw Error(kind_, "lost");
  }
  void deliver(ScoreSink& sink) {
    FrameResult result = {.values = {who_}};
    sink.scored({held_.front(), true, {&result, 1}});
    held_.pop_front();
  }
  const double who_;
  const int fail_at_;
  const size_t delay_;
  const ErrorKind kind_;
  int calls_ = 0;
  std::deque<int64_t> held_;
};

TEST(FallbackExtractor, LosesAndRepeatsNoFrameWhereverTheFirstFails) {
  constexpr int kFrames = 6;
  for (int fail_at = 0; fail_at <= kFrames + 1; ++fail_at) {
    int told = 0;
    const auto extractor = with_fallback(
        std::make_unique<FailingExtractor>(1, fail_at),
        {[] { return std::make_unique<FailingExtractor>(2, -1); }, [&](const std::string&) { ++told; }});
    test::RowSink sink;
    for (int i = 0; i < kFrames; ++i) extractor->push(test::numbered_pair(i), sink);
    extractor->finish(sink);
    EXPECT_EQ(sink.frames, (std::vector<int64_t>{0, 1, 2, 3, 4, 5})) << fail_at;
    EXPECT_EQ(told, fail_at <= kFrames ? 1 : 0);
    EXPECT_EQ(extractor->backend_report().backend, fail_at <= kFrames ? "second" : "first");
    const auto by_maker = [](const auto& a, const auto& b) { return a[1] < b[1]; };
    EXPECT_TRUE(std::is_sorted(sink.rows.begin(), sink.rows.end(), by_maker));
  }
}

TEST(FallbackExtractor, OtherErrorsPass) {
  const auto extractor =
      with_fallback(std::make_unique<FailingExtractor>(1, 0, 2, ErrorKind::kMismatch),
                    {[]() -> std::unique_ptr<FeatureExtractor> { throw std::logic_error("called"); },
                     [](const std::string&) {}});
  test::RowSink sink;
  EXPECT_THROW(extractor->push({}, sink), Error);
}

TEST(FallbackExtractor, WhatCannotTakeOverLeavesTheFirstOnesReport) {
  for (const bool in_finish : {false, true}) {
    std::string told;
    const auto extractor =
        with_fallback(std::make_unique<FailingExtractor>(1, in_finish ? 4 : 3),
                      {[]() -> std::unique_ptr<FeatureExtractor> { throw std::bad_alloc(); },
                       [&](const std::string& reason) { told = reason; }});
    test::RowSink sink;
    const auto score = [&] {
      for (int i = 0; i < 4; ++i) extractor->push(test::numbered_pair(i), sink);
      extractor->finish(sink);
    };
    EXPECT_THROW(score(), std::bad_alloc);
    EXPECT_EQ(told, "lost");
    EXPECT_FALSE(sink.frames.empty());
    EXPECT_EQ(extractor->backend_report().backend, "first");
  }
}

// As one that reads a picture back from a device that has no memory for that.
struct ThrowingSink final : ScoreSink {
  void scored(const FrameScores& scores) override {
    frames.push_back(scores.frame);
    if (scores.frame == throws_at) throw Error(kind, "of the sink");
  }
  int64_t throws_at = -1;
  ErrorKind kind = ErrorKind::kBackend;
  std::vector<int64_t> frames;
};

TEST(FallbackExtractor, WhatASinkThrowsIsNoFailureOfTheDevice) {
  for (const ErrorKind kind : {ErrorKind::kBackend, ErrorKind::kOutput, ErrorKind::kResource}) {
    for (int64_t throws_at = 0; throws_at < 4; ++throws_at) {
      int fallbacks = 0;
      const auto extractor = with_fallback(std::make_unique<FailingExtractor>(1, -1, 1),
                                           {[] { return std::make_unique<FailingExtractor>(1, -1, 1); },
                                            [&](const std::string&) { ++fallbacks; }});
      ThrowingSink sink;
      sink.throws_at = throws_at;
      sink.kind = kind;
      std::string told;
      try {
        for (int i = 0; i < 4; ++i) extractor->push(test::numbered_pair(i), sink);
        extractor->finish(sink);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind);
        told = error.what();
      }
      EXPECT_EQ(told, "of the sink");
      EXPECT_EQ(fallbacks, 0);
      EXPECT_EQ(sink.frames.size(), static_cast<size_t>(throws_at) + 1) << "no frame is delivered twice";
    }
  }
}

// The frame at which a sink threw was delivered: whoever goes on after that does not meet it again.
TEST(FallbackExtractor, ADeviceThatFailsAfterASinkThrewRepeatsNoFrame) {
  const auto extractor =
      with_fallback(std::make_unique<FailingExtractor>(1, 3, 1),
                    {[] { return std::make_unique<FailingExtractor>(1, -1, 1); }, [](const std::string&) {}});
  ThrowingSink sink;
  sink.throws_at = 1;
  int errors = 0;
  for (int i = 0; i < 5; ++i) {
    try {
      extractor->push(test::numbered_pair(i), sink);
    } catch (const Error&) {
      ++errors;
    }
  }
  extractor->finish(sink);
  EXPECT_EQ(errors, 1);
  EXPECT_EQ(sink.frames, (std::vector<int64_t>{0, 1, 2, 3, 4}));
}

// Features on a device and on the host in one run: what is delivered, in which order, and whose error counts.

// Two features that report the frame's number times a factor, with a delay, and fail at a frame.
struct FakePlan {
  double factor = 1;
  size_t delay = 0;
  int64_t fails_at = -1;
  const char* message = "lost";
};

class PartExtractor final : public FeatureExtractor {
 public:
  explicit PartExtractor(const FakePlan& plan) : plan_(plan) {}
  void push(const FramePair& frames, ScoreSink& sink) override {
    held_.push_back(frames.index);
    while (held_.size() > plan_.delay) deliver(sink);
  }
  void finish(ScoreSink& sink) override {
    while (!held_.empty()) deliver(sink);
  }
  BackendReport backend_report() const override {
    const auto count = static_cast<int64_t>(plan_.factor);
    return {.backend = "fake",
            .repeated_frames = count,
            .host_stages = {{"work", plan_.factor}},
            .bytes_uploaded = 10 * count,
            .bytes_read = 30 * count};
  }

 private:
  void deliver(ScoreSink& sink) {
    if (held_.front() == plan_.fails_at) throw Error(ErrorKind::kBackend, plan_.message);
    const double value = plan_.factor * static_cast<double>(held_.front());
    FrameResult results[2] = {{.values = {value}}, {.values = {-value}}};
    results[0].heatmaps.emplace_back(2, 1);
    results[0].heatmaps[0].row(0)[1] = static_cast<uint16_t>(value);
    sink.scored({held_.front(), held_.front() != 1, results});
    held_.pop_front();
  }

  const FakePlan plan_;
  std::deque<int64_t> held_;
};

struct MixedSink final : ScoreSink {
  void scored(const FrameScores& scores) override {
    std::vector<double> row = {static_cast<double>(scores.frame), scores.is_reported ? 1.0 : 0.0};
    for (const FrameResult& result : scores.results) row.push_back(result.values[0]);
    for (const FrameResult& result : scores.results) {
      for (const Plane<uint16_t>& map : result.heatmaps) row.push_back(map.row(0)[1]);
    }
    rows.push_back(row);
  }
  std::vector<std::vector<double>> rows;
};

std::unique_ptr<FeatureExtractor> make(const FakePlan& device, const FakePlan& host) {
  return make_mixed_extractor({std::make_unique<PartExtractor>(device), {0, 3}, {"a", "d"}},
                              {std::make_unique<PartExtractor>(host), {1, 2}, {"b", "c"}});
}

// Frame by frame; the message of what ended it.
std::string score(FeatureExtractor& extractor, int64_t frames, MixedSink& sink) {
  try {
    for (int64_t i = 0; i < frames; ++i) extractor.push(test::numbered_pair(i), sink);
    extractor.finish(sink);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(MixedExtractor, PutsResultsInTheirPlacesWhoeverIsAhead) {
  for (const size_t of_device : {0, 1, 3}) {
    for (const size_t of_host : {0, 2}) {
      MixedSink sink;
      EXPECT_EQ(score(*make({.factor = 10, .delay = of_device}, {.factor = 7, .delay = of_host}), 3, sink),
                "");
      EXPECT_THAT(sink.rows,
                  ElementsAre(ElementsAre(0, 1, 0, 0, 0, 0, 0, 0), ElementsAre(1, 0, 10, 7, -7, -10, 10, 7),
                              ElementsAre(2, 1, 20, 14, -14, -20, 20, 14)));
    }
  }
}

TEST(MixedExtractor, TheLowerFramesErrorIsThrownAfterTheFramesBefore) {
  for (const size_t delay : {0, 2}) {
    const auto run = [&](int64_t device_fails, int64_t host_fails) {
      MixedSink sink;
      const auto extractor = make({.delay = delay, .fails_at = device_fails, .message = "device"},
                                  {.delay = 2 - delay, .fails_at = host_fails, .message = "host"});
      const std::string message = score(*extractor, 6, sink);
      return message + " after " + std::to_string(sink.rows.size());
    };
    EXPECT_EQ(run(2, -1), "device after 2");
    EXPECT_EQ(run(-1, 3), "host after 3");
    EXPECT_EQ(run(3, 2), "host after 2");
    EXPECT_EQ(run(1, 2), "device after 1");
    EXPECT_EQ(run(0, 0), "device after 0");
  }
}

TEST(MixedExtractor, ReportsTheStagesOfBoth) {
  const BackendReport report = make({.factor = 5}, {.factor = 3})->backend_report();
  EXPECT_EQ(report.bytes_uploaded, 80);
  EXPECT_EQ(report.bytes_read, 240);
  EXPECT_EQ(report.repeated_frames, 3);
  ASSERT_EQ(report.host_stages.size(), 1U);
  EXPECT_EQ(report.host_stages[0].ms, 8);
  const auto single =
      make_mixed_extractor({std::make_unique<PartExtractor>(FakePlan{.factor = 5}), {0}, {"a"}},
                           {std::make_unique<PartExtractor>(FakePlan{.factor = 3}), {1}, {"b"}});
  const std::vector<StageTotal> stages = single->backend_report().host_stages;
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(stages[0].stage, "a: work");
  EXPECT_EQ(stages[1].stage, "b: work");
}

// Features of a run that asks for a device.
FeatureRequest request_of(const FeatureInfo& info) { return {.info = &info, .options = OptionSet({})}; }

TEST(MixedExtractor, IsOnlyForRunsOfWhichADeviceTakesAPart) {
  static constexpr Backend kOnHost[] = {Backend::kScalar, Backend::kCpu};
  static constexpr Backend kOnBoth[] = {Backend::kCpu, Backend::kVulkan};
  FeatureInfo host, both;
  host.name = "host";
  host.backends = kOnHost;
  both.name = "both";
  both.backends = kOnBoth;
  const std::vector<FeatureRequest> mixed = {request_of(both), request_of(host)};
  EXPECT_THAT(left_to_host(mixed, {.backend = Backend::kVulkan}), ElementsAre("host"));
  EXPECT_THAT(left_to_host(mixed, {.backend = Backend::kVulkan, .devices = {.lacking = {&both}}}),
              ElementsAre("both", "host"));
  EXPECT_THAT(left_to_host(mixed, {.backend = Backend::kCpu}), ElementsAre());
  WorkerPool pool(1);
  const auto refuses = [&](std::vector<FeatureRequest> features, Backend backend,
                           std::initializer_list<std::string_view> parts) {
    test::expect_error(ErrorKind::kBackend, parts,
                       [&] { make_extractor(features, {}, {.backend = backend, .pool = &pool}); });
  };
  refuses({request_of(host)}, Backend::kVulkan, {"host", "vulkan"});
  refuses({request_of(host), request_of(host)}, Backend::kHybrid, {"host, host", "hybrid"});
  refuses({request_of(both)}, Backend::kScalar, {"both", "scalar"});
}

constexpr int kSide = 64, kFrames = 12;

VideoFormat format_of(int bit_depth) {
  return {.name = "video", .width = kSide, .height = kSide, .bit_depth = bit_depth, .chroma = Chroma::k400};
}

// Samples that are counted as they are fetched, or cannot be had.
class Fetched final : public FrameMemory {
 public:
  Fetched(Frame frame, std::atomic<int>& calls, bool fails)
      : frame_(std::move(frame)), calls_(calls), fails_(fails) {}
  const void* device() const override { return nullptr; }
  const std::array<SampleView, kMaxPlanes>& planes() const override {
    ++calls_;
    if (fails_) throw Error(ErrorKind::kInternal, "no samples");
    return frame_.planes;
  }
  PlaneSize luma_size() const override { return {kSide, kSide}; }
  Frame luma_part(const LumaLines&) const override { return frame_; }

 private:
  const Frame frame_;
  std::atomic<int>& calls_;
  const bool fails_;
};

Frame frame_of(int64_t index, int seed) {
  Frame frame = test::drawn_frame(format_of(8), [&](int, int x, int y) {
    return (x * seed + y * 3 + static_cast<int>(index) * 5) % 200;
  });
  frame.index = index;
  return frame;
}

struct Rows final : ScoreSink {
  std::vector<std::vector<std::vector<double>>> rows;  // of each frame and feature
  void scored(const FrameScores& scores) override {
    EXPECT_EQ(scores.frame, static_cast<int64_t>(rows.size()));
    auto& row = rows.emplace_back();
    for (const FrameResult& result : scores.results) row.push_back(result.values);
  }
};

FeatureRequest asked(const char* name) {
  FeatureRequest request{.info = &find_feature(name), .options = OptionSet(find_feature(name).options)};
  if (request.info->name == "psnr") request.options.set("enable_chroma", "false");
  return request;
}

class FittingExtractorTest : public ::testing::TestWithParam<int> {
 protected:
  FittingExtractorTest() {
    formats_ = {format_of(8), format_of(8)};
    execution_.pool = &pool_;
  }

  Rows score(const std::vector<FeatureRequest>& requests) {
    Rows rows;
    const auto extractor = make_extractor(requests, formats_, execution_);
    PreviousFrames before(frame_needs(requests).before);
    const auto push_all = [&] {
      for (int i = 0; i < kFrames; ++i) {
        FramePair pair{.distorted = frame_of(i, 7), .reference = frame_of(i, 6), .index = i};
        if (are_fetched_) {
          for (Frame* const frame : {&pair.distorted, &*pair.reference}) {
            Frame elsewhere = *frame;
            elsewhere.planes = {};
            elsewhere.owner = nullptr;
            elsewhere.place = std::make_shared<Fetched>(*frame, calls_, i == failing_);
            *frame = std::move(elsewhere);
          }
        }
        before.give(pair);
        extractor->push(pair, rows);
      }
      extractor->finish(rows);
    };
    try {
      push_all();
    } catch (const Error& error) {
      failure_ = error.what();
    }
    return rows;
  }

  WorkerPool pool_{GetParam()};
  VideoFormats formats_;
  Execution execution_;
  std::atomic<int> calls_ = 0;
  bool are_fetched_ = false;
  int64_t failing_ = -1;
  std::string failure_;
};

// Motion looks at frames before, PSNR at the peak of the depth: a scale of two changes neither the one nor,
// but for the peak, the other.
TEST_P(FittingExtractorTest, EachFeatureSeesItsOwnFrames) {
  std::vector<FeatureRequest> requests = {asked("psnr"), asked("motion"), asked("psnr"), asked("motion")};
  requests[0].fitting = requests[3].fitting = Fitting{.least_bits = 9};
  const Rows rows = score(requests);
  EXPECT_EQ(failure_, "");
  ASSERT_EQ(rows.rows.size(), static_cast<size_t>(kFrames));
  for (const auto& row : rows.rows) {
    EXPECT_NEAR(row[0].front(), row[2].front(), 0.02);
    EXPECT_NE(row[0].front(), row[2].front());
    ASSERT_EQ(row[1].size(), row[3].size());
    for (size_t i = 0; i < row[1].size(); ++i)
      EXPECT_NEAR(row[1][i], row[3][i], 0.01 * std::abs(row[1][i]) + 1e-6);
  }
}

TEST_P(FittingExtractorTest, FitsEachFrameOnceAlsoThoseBefore) {
  std::vector<FeatureRequest> requests = {asked("psnr"), asked("motion")};
  requests[0].fitting = requests[1].fitting = Fitting{.least_bits = 9};
  are_fetched_ = true;
  EXPECT_EQ(score(requests).rows.size(), static_cast<size_t>(kFrames));
  EXPECT_EQ(failure_, "");
  EXPECT_EQ(calls_, 2 * kFrames);
}

TEST_P(FittingExtractorTest, AFrameThatCannotBeFittedComesAfterThoseBeforeIt) {
  std::vector<FeatureRequest> requests = {asked("psnr")};
  requests[0].fitting = Fitting{.least_bits = 9};
  are_fetched_ = true;
  failing_ = 5;
  EXPECT_EQ(score(requests).rows.size(), 5U);
  EXPECT_EQ(failure_, "no samples");
}

TEST_P(FittingExtractorTest, MemoryCountsTheFittedFrames) {
  std::vector<FeatureRequest> requests = {asked("psnr")};
  const int64_t plain = extractor_bytes(requests, formats_, execution_);
  requests[0].fitting = Fitting{.least_bits = 9};
  EXPECT_GE(extractor_bytes(requests, formats_, execution_) - plain,
            int64_t{2} * GetParam() * kSide * kSide * 2);
}

INSTANTIATE_TEST_SUITE_P(Threads, FittingExtractorTest, ::testing::Values(1, 4));

}  // namespace
}  // namespace vq
