#include "feature/stage_clock.h"
#include "tests/support/test.h"

namespace vq {
namespace {

using ::testing::Field;

std::chrono::steady_clock::time_point tick() {
  static int64_t ticks = 0;
  return std::chrono::steady_clock::time_point(std::chrono::milliseconds(++ticks));
}

auto is_total(std::string_view stage, double ms) {
  return AllOf(Field(&StageTotal::stage, stage), Field(&StageTotal::ms, ms));
}

// What is timed within a stage is not of it, unless it is timed without a clock; nor is what is of none.
TEST(StageClock, AddsUpWhatIsOfEachStageAlone) {
  StageClock clock(tick);
  for (int i = 0; i < 2; ++i) {
    const StageTimer outer(&clock, "outer");
    const StageTimer none(nullptr, "none");
    tick();
    const StageTimer inner(&clock, "inner");
    tick();
    tick();
  }
  tick();
  EXPECT_THAT(clock.take(), ElementsAre(is_total("outer", 2 * (2 + 1)), is_total("inner", 2 * 3)));
  EXPECT_TRUE(clock.take().empty());
}

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

TEST(StageTimes, AddUpWhatThreadsTakeWhereThatIsWanted) {
  for (const bool are_wanted : {false, true}) {
    StageTimes times(are_wanted);
    const auto step = [&] {
      return times.time("stage", [] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return 7;
      });
    };
    std::thread other([&] { EXPECT_EQ(step(), 7); });
    EXPECT_EQ(step(), 7);
    other.join();
    const std::vector<StageTotal> totals = times.totals();
    ASSERT_EQ(totals.size(), are_wanted ? 1U : 0U);
    if (!are_wanted) continue;
    EXPECT_EQ(totals[0].stage, "stage");
    EXPECT_GE(totals[0].ms, 40);
  }
}

}  // namespace
}  // namespace vq
