#include "cli/cluster/submit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/commands/arguments.h"
#include "cli/commands/subcommand_table.h"
#include "cli/commands/subcommand.h"
#include "core/error.h"
#include "tests/cli/cluster/plan_work_sample.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;
using test::some_work;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SlurmJobs, AreForWhatIsLeftOfThePlan) {
  PlanWork work = some_work("/shared/x", 6);
  work.threads = 2;
  work.memory_bytes = int64_t{3} << 30;
  work.shards[0].is_done = work.shards[4].is_done = true;
  SubmitRequest request;
  request.merge = {"--reports", "/r"};
  request.at_once = 2;
  const SlurmJobs jobs = slurm_jobs(request, work, 1001);
  EXPECT_EQ(jobs.name, "plan");
  EXPECT_EQ(jobs.tasks.indices, "1-3,5");
  EXPECT_EQ(jobs.cores, 2);
  EXPECT_EQ(jobs.memory_bytes, int64_t{4} << 30);
  EXPECT_EQ(jobs.logs, "/shared/x/logs");
  EXPECT_TRUE(fs::path(jobs.program).is_absolute());
  request.most_tasks = 3;
  EXPECT_EQ(slurm_jobs(request, work, 1001).tasks.each, 2);
  request.most_tasks = 2000;
  EXPECT_EQ(slurm_jobs(request, work, 4).tasks.each, 2);
}

ParsedWords parsed(const std::vector<std::string>& words) {
  return parse_run_words(words, find_subcommand("submit")->flags);
}

TEST(SubmitCommand, PassesOptionsBehindDashesOn) {
  const SubmitRequest request =
      submit_request(parsed({"p.json", "--reports", "/r", "--wait", "--gpus", "1", "--tasks=7", "--",
                             "--partition=long", "-t", "1:00:00"}));
  EXPECT_EQ(request.plan, "p.json");
  EXPECT_THAT(request.options, ElementsAre("--partition=long", "-t", "1:00:00"));
  EXPECT_THAT(request.merge, ElementsAre("--reports=/r"));
  EXPECT_TRUE(request.waits);
  EXPECT_EQ(request.gpus, 1);
  EXPECT_EQ(request.most_tasks, 7);
  EXPECT_THAT(submit_request(parsed({"p.json", "-o", "/r/a.json", "--formats", "html"})).merge,
              ElementsAre("--output=/r/a.json", "--formats=html"));
  EXPECT_THAT(submit_request(parsed({"p.json", "--reports", "r"})).merge,
              ElementsAre("--reports=" + (fs::current_path() / "r").string()));
  // What merge judges and writes is said here.
  EXPECT_THAT(submit_request(parsed({"p.json", "--reports", "/r", "--fail-above", "p95>5", "--progress",
                                     "json", "-q", "--by=max"}))
                  .merge,
              ElementsAre("--reports=/r", "--by=max", "--fail-above=p95>5", "--quiet"));
}

TEST(LocalShares, KeepCoresBusyAndStayWithinMemory) {
  PlanWork work = some_work("/x", 20);
  work.threads = 2;
  work.memory_bytes = int64_t{1} << 30;
  const LocalMachine machine{.cores = 16, .memory_bytes = int64_t{64} << 30, .gpus = {}};
  EXPECT_EQ(local_shares(work, machine, 0).at_once, 8);
  EXPECT_EQ(local_shares(work, machine, 0).threads, 2);
  EXPECT_EQ(local_shares(work, machine, 3).at_once, 3);
  EXPECT_EQ(local_shares(work, machine, 3).threads, 5);
  const LocalMachine small{.cores = 16, .memory_bytes = int64_t{5} << 30, .gpus = {}};
  EXPECT_EQ(local_shares(work, small, 0).at_once, 5);
  EXPECT_EQ(local_shares(work, {.cores = 1, .memory_bytes = 1, .gpus = {}}, 0).at_once, 1);
  for (size_t i = 0; i < 18; ++i) work.shards[i].is_done = true;
  EXPECT_EQ(local_shares(work, machine, 0).at_once, 2);
  EXPECT_EQ(local_shares(work, machine, 0).threads, 8);
}

TEST(LocalShares, SpreadOverTheGpus) {
  PlanWork work = some_work("/x", 20);
  const LocalMachine machine{.cores = 4, .memory_bytes = int64_t{64} << 30, .gpus = {"0", "2"}};
  const LocalRun run{.program = "/opt/cambi", .logs = "/x/logs", .merge = {}};
  const LocalShares shares = local_shares(work, machine, 0);
  EXPECT_THAT(shard_words(work, run, shares, 7, 0),
              ElementsAre("/opt/cambi", "shard", "/x/plan.json", "--index", "7", "--threads", "1", "--quiet",
                          "--device", "0"));
  EXPECT_EQ(shard_words(work, run, shares, 7, 3).back(), "2");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--backend", "cpu"}, {"--backend=scalar"}, {"--device", "1"}}) {
    work.arguments = arguments;
    EXPECT_THAT(local_shares(work, machine, 0).gpus, IsEmpty());
  }
}

}  // namespace
}  // namespace vq::cli
