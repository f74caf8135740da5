#include "feature/fallback_extractor.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <deque>
#include <new>

#include "core/error.h"
#include "tests/support/row_sink.h"

namespace vq {
namespace {

// Delivers with a delay of two frames, values telling who made them, and fails at a chosen call.
class FailingExtractor final : public FeatureExtractor {
 public:
  FailingExtractor(double who, int fail_at, ErrorKind kind = ErrorKind::kBackend)
      : who_(who), fail_at_(fail_at), kind_(kind) {}
  void push(const FramePair& frames, ScoreSink& sink) override {
    step();
    held_.push_back(frames.index);
    if (held_.size() > 2) deliver(sink);
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
  double who_;
  int fail_at_, calls_ = 0;
  ErrorKind kind_;
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
      with_fallback(std::make_unique<FailingExtractor>(1, 0, ErrorKind::kMismatch),
                    {[]() -> std::unique_ptr<FeatureExtractor> { throw std::logic_error("called"); },
                     [](const std::string&) {}});
  test::RowSink sink;
  EXPECT_THROW(extractor->push({}, sink), Error);
}

// What was scored is reported all the same.
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

}  // namespace
}  // namespace vq
