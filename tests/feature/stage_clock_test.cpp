#include "feature/stage_clock.h"

#include <gmock/gmock.h>

#include <thread>

namespace vq {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

void work(std::chrono::milliseconds time) {
  std::this_thread::sleep_for(time);
}

// What is timed within a stage is not of it.
TEST(StageClock, AddsUpWhatIsOfEachStageAlone) {
  StageClock clock;
  for (int i = 0; i < 2; ++i) {
    const StageTimer outer(&clock, "outer");
    const StageTimer inner(&clock, "inner");
    work(std::chrono::milliseconds(20));
  }
  work(std::chrono::milliseconds(20));  // of none
  const std::vector<StageTotal> totals = clock.take();
  ASSERT_THAT(totals, ElementsAre(Field(&StageTotal::stage, "outer"), Field(&StageTotal::stage, "inner")));
  EXPECT_GE(totals[1].ms, 40);
  EXPECT_LT(totals[0].ms, totals[1].ms);
  EXPECT_TRUE(clock.take().empty());
}

std::chrono::steady_clock::time_point tick() {
  static int64_t ticks = 0;
  return std::chrono::steady_clock::time_point(std::chrono::milliseconds(++ticks));
}

// Whatever is timed within what, the stages take all the time there is.
TEST(StageClock, LeavesNoGap) {
  StageClock clock("first", tick);
  const auto start = tick();
  for (int i = 0; i < 3; ++i) {
    const StageTimer outer(&clock, "outer");
    for (int k = 0; k < i; ++k) const StageTimer inner(&clock, "inner");
  }
  clock.switch_to({});
  const double all = std::chrono::duration<double, std::milli>(tick() - start).count();
  double sum = 0;
  for (const StageTotal& total : clock.totals()) sum += total.ms;
  EXPECT_EQ(sum, all);  // the tick before the start is of the first stage as that behind its end is of none
  EXPECT_EQ(clock.totals().size(), 3U);
}

// A timer without a clock takes nothing from the stage around it.
TEST(StageClock, ATimerNeedsNone) {
  StageClock clock(tick);
  {
    const StageTimer outer(&clock, "outer");
    const StageTimer none(nullptr, "none");
    tick();
  }
  const std::vector<StageTotal> totals = clock.take();
  ASSERT_THAT(totals, ElementsAre(Field(&StageTotal::stage, "outer")));
  EXPECT_EQ(totals[0].ms, 2);
}

TEST(StageTimes, AddUpWhatThreadsTake) {
  StageTimes times(true);
  const auto step = [&] {
    return times.time("stage", [] {
      work(std::chrono::milliseconds(20));
      return 7;
    });
  };
  std::thread other([&] { EXPECT_EQ(step(), 7); });
  EXPECT_EQ(step(), 7);
  other.join();
  const std::vector<StageTotal> totals = times.totals();
  ASSERT_THAT(totals, ElementsAre(Field(&StageTotal::stage, "stage")));
  EXPECT_GE(totals[0].ms, 40);
}

TEST(StageTimes, SayNothingThatNobodyWantsToKnow) {
  StageTimes times(false);
  EXPECT_EQ(times.time("stage", [] { return 7; }), 7);
  EXPECT_TRUE(times.totals().empty());
}

}  // namespace
}  // namespace vq
