#include "cli/cluster/slurm_wait.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "cli/cluster/slurm_script.h"
#include "core/error.h"
#include "tests/cli/cluster/plan_work_sample.h"
#include "tests/support/expect_error.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

using test::some_work;
using ::testing::AllOf;
using ::testing::HasSubstr;

// A queue in which the job is there for so many looks, and then gone.
QueuePort queue_of(int looks, double& slept) {
  return {[left = looks](const std::string&, std::string&) mutable { return std::optional(left-- > 0); },
          [&slept](double seconds) { slept += seconds; }, [] { return 0; }};
}

class SlurmWait : public ::testing::Test {
 protected:
  WaitEnd wait(PlanWork& work, const QueuePort& queue) {
    const auto write = [this](std::string_view text) { shown_ += text; };
    Messages messages(write);
    ShardProgress progress({.form = ProgressForm::kJson}, {[this] { return seconds_ += 10; }, write},
                           work.shards.size(), look_at_results(work));
    return wait_for_slurm({"7", "8"}, work, folder_.path(), progress, queue, messages);
  }

  test::TemporaryFolder folder_;
  std::string shown_;
  double slept_ = 0, seconds_ = 0;
};

TEST_F(SlurmWait, EndsWithTheCodeOfTheMerge) {
  PlanWork work = some_work(folder_.path(), 4);
  QueuePort queue = queue_of(100, slept_);
  queue.sleep = [&](double) { test::write_file(merge_code_path(folder_.path(), "8"), "7\n"); };
  test::write_file(work.shards[1].failure, "2\tx\n");
  const WaitEnd end = wait(work, queue);
  EXPECT_EQ(end.code, 7);
  EXPECT_TRUE(end.has_log);
  EXPECT_THAT(shown_, AllOf(HasSubstr("\"event\": \"progress\", \"shards\": 4, \"done\": 0, \"failed\": 1"),
                            HasSubstr("\"event\": \"finish\"")));
}

TEST_F(SlurmWait, GivesUpOnAMergeThatIsGoneWithoutACode) {
  PlanWork work = some_work(folder_.path(), 4);
  vq::test::expect_error(ErrorKind::kIncomplete, {"job 8", "merge-8.log"}, [&] { wait(work, queue_of(3, slept_)); });
  EXPECT_GE(slept_, 90);  // as long as a file of another machine may take to be seen
}

TEST_F(SlurmWait, WaitsForAControllerThatDoesNotAnswer) {
  PlanWork work = some_work(folder_.path(), 4);
  QueuePort queue = queue_of(0, slept_);
  queue.is_queued = [](const std::string&, std::string& reason) {
    reason = "Unable to contact slurm controller";
    return std::optional<bool>();
  };
  queue.sleep = [&](double seconds) {
    slept_ += seconds;
    if (slept_ > 1000) test::write_file(merge_code_path(folder_.path(), "8"), "0\n");
  };
  EXPECT_EQ(wait(work, queue).code, 0);
  const size_t first = shown_.find("Unable to contact");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(shown_.find("Unable to contact", first + 1), std::string::npos) << shown_;
}

TEST_F(SlurmWait, LeavesTheJobsAfterASignal) {
  PlanWork work = some_work(folder_.path(), 4);
  QueuePort queue = queue_of(100, slept_);
  queue.interrupt = [this] { return slept_ > 5 ? SIGINT : 0; };
  const WaitEnd end = wait(work, queue);
  EXPECT_EQ(end.code, 130);
  EXPECT_FALSE(end.has_log);
  EXPECT_THAT(shown_, HasSubstr("scancel 7 8"));
}

TEST(ShardProgress, TellsTheTimeLeftByThePaceSinceTheStart) {
  std::string shown;
  double now = 100;
  ShardProgress progress({.form = ProgressForm::kPlain},
                         {[&] { return now; }, [&](std::string_view text) { shown += text; }}, 8,
                         {.done = 4, .failed = 0, .share = 0.5});
  now = 105;
  progress.show({.done = 5, .failed = 0, .share = 0.6});
  EXPECT_EQ(shown, "");
  now = 120;
  progress.show({.done = 6, .failed = 1, .share = 0.75});
  EXPECT_EQ(shown, "6/8 shards  75%  0:20 left  1 failed\n");
}

}  // namespace
}  // namespace vq::cli
