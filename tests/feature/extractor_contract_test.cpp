// What those who push frames and those who take scores can rely on: whose error is whose, how numbers round,
// and that frames may follow finish().
#include <gtest/gtest.h>

#include <cfenv>
#include <deque>
#include <limits>
#include <memory>
#include <vector>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "core/elementary.h"
#include "core/error.h"
#include "core/worker_pool.h"
#include "feature/extractor.h"

namespace vq {
namespace {

// Volatile, so that the compiler does not compute it.
struct Numbers {
  volatile double one = 1, three = 3, least = std::numeric_limits<double>::min();
  double third() const { return one / three; }
  double below_normal() const { return least / 4; }
};

const double kThird = 1.0 / 3;

// As a host may have chosen, or a library of it. Rounds upwards, and where the processor can, has no numbers
// below the normal ones.
class OtherFloats {
 public:
  OtherFloats() {
    std::fegetenv(&before_);
    std::fesetround(FE_UPWARD);
#if defined(__SSE2__)
    constexpr unsigned kFlushes = 0x8040;  // FTZ and DAZ
    _mm_setcsr(_mm_getcsr() | kFlushes);
#endif
  }
  ~OtherFloats() {
    std::fesetenv(&before_);
    set_vector_floats(vectors_before_);
  }
  OtherFloats(const OtherFloats&) = delete;
  OtherFloats& operator=(const OtherFloats&) = delete;

 private:
  std::fenv_t before_;
  const unsigned vectors_before_ = vector_floats();
};

void expect_exact(const Numbers& numbers) {
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_EQ(numbers.third(), kThird);
  EXPECT_GT(numbers.below_normal(), 0);
}

void expect_other(const Numbers& numbers) {
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  EXPECT_GT(numbers.third(), kThird);
#if defined(__SSE2__)
  EXPECT_EQ(numbers.below_normal(), 0);
#endif
}

TEST(ExactFloats, AreOfTheScopeAndThenAsBefore) {
  const Numbers numbers = {};
  const OtherFloats other;
  expect_other(numbers);
  {
    const ExactFloats exact;
    expect_exact(numbers);
  }
  expect_other(numbers);
}

TEST(ExactFloats, AreOfEveryTaskOfAPool) {
  const Numbers numbers = {};
  const OtherFloats other;
  for (const int threads : {1, 3}) {
    WorkerPool pool(threads);
    for (int i = 0; i < 6; ++i) pool.submit(std::packaged_task<void()>([&] { expect_exact(numbers); })).get();
    expect_other(numbers);
  }
}

FramePair frame(int64_t index) {
  FramePair pair;
  pair.index = index;
  return pair;
}

class Thirds final : public HostFeature {
 public:
  FrameResult score(const FramePair&) override { return {.values = {numbers_.third()}}; }
  std::string simd() const override { return "none"; }

 private:
  const Numbers numbers_ = {};
};

std::unique_ptr<FeatureExtractor> thirds(WorkerPool& pool) {
  std::vector<HostPart> parts;
  parts.push_back({std::make_unique<Thirds>(), false});
  return make_host_extractor(std::move(parts), {}, {}, {.pool = &pool});
}

struct Collected final : ScoreSink {
  void scored(const FrameScores& scores) override {
    expect_exact(numbers);
    frames.push_back(scores.frame);
    values.push_back(scores.results[0].values[0]);
  }
  const Numbers numbers = {};
  std::vector<int64_t> frames;
  std::vector<double> values;
};

// By the sink scores of models and sequences are computed.
TEST(ExtractorContract, FeaturesAndSinksComputeInExactFloats) {
  const Numbers numbers = {};
  const OtherFloats other;
  for (const int threads : {1, 3}) {
    WorkerPool pool(threads);
    Collected sink;
    const auto extractor = thirds(pool);
    for (int i = 0; i < 8; ++i) extractor->push(frame(i), sink);
    extractor->finish(sink);
    expect_other(numbers);
    EXPECT_EQ(sink.values, std::vector<double>(8, kThird));
  }
}

TEST(ExtractorContract, FramesMayFollowFinish) {
  WorkerPool pool(2);
  Collected sink;
  const auto extractor = with_fallback(thirds(pool), {});
  for (int i = 0; i < 7; ++i) {
    extractor->push(frame(i), sink);
    if (i % 3 == 0) extractor->finish(sink);
  }
  extractor->finish(sink);
  EXPECT_EQ(sink.frames, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6}));
}

// Delivers each frame when the next is pushed, and fails as a device does at a chosen one.
class LateExtractor final : public FeatureExtractor {
 public:
  explicit LateExtractor(int64_t fails_at = -1) : fails_at_(fails_at) {}
  void push(const FramePair& frames, ScoreSink& sink) override {
    if (frames.index == fails_at_) throw Error(ErrorKind::kBackend, "lost");
    held_.push_back(frames.index);
    if (held_.size() > 1) deliver(sink);
  }
  void finish(ScoreSink& sink) override {
    while (!held_.empty()) deliver(sink);
  }
  BackendReport backend_report() const override { return {}; }

 private:
  void deliver(ScoreSink& sink) {
    const int64_t index = held_.front();
    held_.pop_front();
    FrameResult result = {.values = {1}};
    sink.scored({index, true, {&result, 1}});
  }
  const int64_t fails_at_;
  std::deque<int64_t> held_;
};

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

TEST(ExtractorContract, WhatASinkThrowsIsNoFailureOfTheDevice) {
  for (const ErrorKind kind : {ErrorKind::kBackend, ErrorKind::kOutput, ErrorKind::kResource}) {
    for (int64_t throws_at = 0; throws_at < 4; ++throws_at) {
      int fallbacks = 0;
      const auto extractor = with_fallback(
          std::make_unique<LateExtractor>(),
          {[] { return std::make_unique<LateExtractor>(); }, [&](const std::string&) { ++fallbacks; }});
      ThrowingSink sink;
      sink.throws_at = throws_at;
      sink.kind = kind;
      std::string told;
      try {
        for (int i = 0; i < 4; ++i) extractor->push(frame(i), sink);
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
TEST(ExtractorContract, ADeviceThatFailsAfterASinkThrewRepeatsNoFrame) {
  const auto extractor =
      with_fallback(std::make_unique<LateExtractor>(3),
                    {[] { return std::make_unique<LateExtractor>(); }, [](const std::string&) {}});
  ThrowingSink sink;
  sink.throws_at = 1;
  int errors = 0;
  for (int i = 0; i < 5; ++i) {
    try {
      extractor->push(frame(i), sink);
    } catch (const Error&) {
      ++errors;
    }
  }
  extractor->finish(sink);
  EXPECT_EQ(errors, 1);
  EXPECT_EQ(sink.frames, (std::vector<int64_t>{0, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace vq
