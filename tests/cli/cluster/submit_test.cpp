#include "cli/cluster/submit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "cli/cluster/slurm_wait.h"
#include "cli/commands/arguments.h"
#include "cli/commands/submit_command.h"
#include "cli/commands/subcommand_table.h"
#include "cli/system/child_process.h"
#include "core/error.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<int64_t> all_of(int64_t shards) {
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < shards; ++i) numbers.push_back(i);
  return numbers;
}

TEST(TaskArray, HasATaskForEachShardThatIsLeft) {
  EXPECT_EQ(task_array(4, all_of(4), 1001).indices, "0-3");
  EXPECT_EQ(task_array(1, {0}, 1001).indices, "0");
  const TaskArray some = task_array(10, {0, 1, 2, 5, 8, 9}, 1001);
  EXPECT_EQ(some.indices, "0-2,5,8-9");
  EXPECT_EQ(some.count, 6);
  EXPECT_EQ(some.each, 1);
  EXPECT_EQ(task_array(10, {}, 1001).indices, "");
}

TEST(TaskArray, StaysBelowWhatTheClusterTakes) {
  const TaskArray two = task_array(2002, all_of(2002), 1001);
  EXPECT_EQ(two.each, 2);
  EXPECT_EQ(two.indices, "0-1000");
  EXPECT_EQ(two.count, 1001);
  const TaskArray three = task_array(2003, all_of(2003), 1001);
  EXPECT_EQ(three.each, 3);
  EXPECT_EQ(three.indices, "0-667");
  // Tasks are numbered as they are without results, so that each has the same shards.
  const TaskArray left = task_array(2003, {0, 1, 9, 2002}, 1001);
  EXPECT_EQ(left.indices, "0,3,667");
  EXPECT_EQ(left.count, 3);
}

TEST(TaskArray, OfTooManyPiecesIsGivenWhole) {
  std::vector<int64_t> odd;
  for (int64_t i = 1; i < 8000; i += 2) odd.push_back(i);
  EXPECT_EQ(task_array(8000, odd, 10000).indices, "0-7999");
}

SlurmJobs some_jobs() {
  SlurmJobs jobs;
  jobs.name = "season1";
  jobs.program = "/opt/cambi";
  jobs.plan = "/shared/season1.json";
  jobs.logs = "/shared/season1.shards/logs";
  jobs.shards = 12;
  jobs.tasks = task_array(12, all_of(12), 1001);
  jobs.cores = 4;
  jobs.memory_bytes = (int64_t{3} << 30) + 1;
  jobs.merge = {"--reports", "/shared/reports"};
  return jobs;
}

TEST(SlurmScript, AsksForWhatThePlanNeeds) {
  const std::string script = slurm_script(some_jobs());
  EXPECT_THAT(script, AllOf(HasSubstr("#SBATCH --array=0-11\n"), HasSubstr("#SBATCH --requeue\n"),
                            HasSubstr("#SBATCH --cpus-per-task=4\n"), HasSubstr("#SBATCH --mem=3073M\n")));
  EXPECT_THAT(script, AllOf(Not(HasSubstr("gres")), Not(HasSubstr("--device")), Not(HasSubstr("--each"))));
}

TEST(SlurmScript, AsksForGpusAndFewerTasksAtATime) {
  SlurmJobs jobs = some_jobs();
  jobs.gpus = 2;
  jobs.at_once = 5;
  jobs.tasks = task_array(12, all_of(12), 6);
  EXPECT_THAT(slurm_script(jobs), AllOf(HasSubstr("#SBATCH --array=0-5%5\n"), HasSubstr("#SBATCH --gres=gpu:2\n"),
                                        HasSubstr("--device all"), HasSubstr("--each 2")));
}

// A sbatch that notes its arguments and its script under the number of the call, and that number is the job's id.
constexpr char kFakeSbatch[] = R"(#!/bin/sh
folder=$(dirname "$0")
number=$(cat "$folder/number" 2>/dev/null || echo 6)
number=$((number + 1))
echo "$number" >"$folder/number"
for word in "$@"; do printf '%s\n' "$word"; done >"$folder/words-$number"
cat >"$folder/script-$number"
echo "$number;cluster"
)";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class SlurmScriptRun : public ::testing::Test {
 protected:
  void SetUp() override {
    test::write_file(path("sbatch"), kFakeSbatch);
    ASSERT_EQ(chmod(path("sbatch").c_str(), 0755), 0);
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  ChildOutput run(const std::string& script, const std::string& shell) const {
    return run_child({"env", "PATH=" + folder_.path() + ":/usr/bin:/bin", shell, "-c", script});
  }

  test::TemporaryFolder folder_;
};

TEST_F(SlurmScriptRun, PrintsTheIdsOfBothJobs) {
  SlurmJobs jobs = some_jobs();
  jobs.logs = path("logs");
  for (const std::string shell : {"sh", "bash"}) {
    fs::remove(path("number"));
    const ChildOutput output = run(slurm_script(jobs), shell);
    EXPECT_EQ(output.code, 0) << output.err;
    EXPECT_EQ(output.out, "7 8\n") << shell;
    EXPECT_TRUE(fs::is_directory(jobs.logs));
    EXPECT_THAT(lines_of(test::read_file(path("words-7"))),
                ElementsAre("--parsable", "--job-name=season1", "--output=" + jobs.logs + "/shards-%A_%a.log"));
    EXPECT_THAT(lines_of(test::read_file(path("words-8"))),
                ElementsAre("--parsable", "--job-name=season1-merge", "--output=" + jobs.logs + "/merge-%j.log", "--dependency=afterany:7"));
  }
}

TEST_F(SlurmScriptRun, MergesAtOnceWhereNothingIsLeft) {
  SlurmJobs jobs = some_jobs();
  jobs.logs = path("logs");
  jobs.tasks = task_array(12, {}, 1001);
  const ChildOutput output = run(slurm_script(jobs), "sh");
  EXPECT_EQ(output.out, " 7\n");
  EXPECT_THAT(test::read_file(path("words-7")), Not(HasSubstr("dependency")));
}

TEST_F(SlurmScriptRun, KeepsEveryCharacterOfPathsAndOptions) {
  SlurmJobs jobs = some_jobs();
  const std::string awkward = "it's 100% $HOME `id` \"x\" \\n";
  jobs.logs = path(awkward);
  jobs.program = path("program");
  jobs.plan = "/plans/" + awkward;
  jobs.merge = {"--reports", "/reports/" + awkward};
  jobs.options = {"--comment=" + awkward, "--partition", "long"};
  const ChildOutput output = run(slurm_script(jobs), "sh");
  EXPECT_EQ(output.code, 0) << output.err;
  EXPECT_TRUE(fs::is_directory(jobs.logs));
  EXPECT_THAT(lines_of(test::read_file(path("words-7"))),
              ElementsAre("--parsable", "--job-name=season1",
                          "--output=" + path("it's 100%% $HOME `id` \"x\" \\n") + "/shards-%A_%a.log", "--comment=" + awkward,
                          "--partition", "long"));
  // What the jobs call gets these words.
  test::write_file(jobs.program, "#!/bin/sh\nfor word in \"$@\"; do printf '%s\\n' \"$word\"; done\n");
  ASSERT_EQ(chmod(jobs.program.c_str(), 0755), 0);
  const ChildOutput shard =
      run_child({"env", "SLURM_ARRAY_TASK_ID=3", "SLURMD_NODENAME=n1", "SLURM_CPUS_PER_TASK=2", "sh", path("script-7")});
  EXPECT_EQ(shard.code, 0) << shard.err;
  std::vector<std::string> words = lines_of(shard.out);
  ASSERT_FALSE(words.empty());
  words.erase(words.begin());  // when and where
  EXPECT_THAT(words, ElementsAre("shard", jobs.plan, "--index", "3", "--threads", "2", "--quiet"));
  const ChildOutput merge = run_child({"env", "SLURM_JOB_ID=8", "sh", path("script-8")});
  EXPECT_THAT(lines_of(merge.out), ElementsAre("merge", jobs.plan, "--reports", "/reports/" + awkward));
  EXPECT_EQ(test::read_file(merge_code_path(jobs.logs, "8")), "0\n");
}

// The exit code that a program of this code gives the task, and whether it asked for another try.
struct TaskEnd {
  int code;
  bool is_tried_again;
};

TEST_F(SlurmScriptRun, TriesAgainWhatMayGoWellElsewhere) {
  SlurmJobs jobs = some_jobs();
  jobs.logs = path("logs");
  jobs.program = path("program");
  ASSERT_EQ(run(slurm_script(jobs), "sh").code, 0);
  test::write_file(path("program"), "#!/bin/sh\n[ \"$CODE\" -lt 128 ] || kill -$((CODE - 128)) $$\nexit $CODE\n");
  test::write_file(path("scontrol"), "#!/bin/sh\necho \"$@\"\n");
  for (const char* name : {"program", "scontrol"}) ASSERT_EQ(chmod(path(name).c_str(), 0755), 0);
  const auto task = [&](int code, const std::string& starts) -> TaskEnd {
    const ChildOutput output =
        run_child({"env", "PATH=" + folder_.path() + ":/usr/bin:/bin", "CODE=" + std::to_string(code), "SLURM_RESTART_COUNT=" + starts,
                   "SLURM_ARRAY_TASK_ID=3", "SLURMD_NODENAME=n1", "SLURM_JOB_ID=70", "sh", path("script-7")});
    return {output.code, output.out.find("requeue 70") != std::string::npos};
  };
  for (const int code : {4, 5, 8, 70, 134, 137, 139}) {
    EXPECT_TRUE(task(code, "0").is_tried_again) << code;
    EXPECT_TRUE(task(code, "1").is_tried_again) << code;
    EXPECT_FALSE(task(code, "2").is_tried_again) << code;
    EXPECT_EQ(task(code, "2").code, code);
  }
  // 130 and 143: somebody asked it to stop.
  for (const int code : {0, 1, 2, 3, 6, 130, 143}) {
    EXPECT_FALSE(task(code, "0").is_tried_again) << code;
    EXPECT_EQ(task(code, "0").code, code);
  }
}

PlanWork some_work(const std::string& folder, size_t shards) {
  PlanWork work{.path = folder + "/plan.json", .id = "some", .results = folder, .arguments = {}, .shards = {}};
  for (size_t i = 0; i < shards; ++i) {
    const std::string stem = folder + "/" + std::to_string(i);
    work.shards.push_back({.result = stem + ".shard", .failure = stem + ".failed"});
  }
  return work;
}

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

std::string usage_fault(const std::vector<std::string>& words) {
  try {
    submit_request(parsed(words));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "none";
}

TEST(SubmitCommand, PassesOptionsBehindDashesOn) {
  const SubmitRequest request =
      submit_request(parsed({"p.json", "--reports", "/r", "--wait", "--gpus", "1", "--tasks=7", "--", "--partition=long", "-t", "1:00:00"}));
  EXPECT_EQ(request.plan, "p.json");
  EXPECT_THAT(request.options, ElementsAre("--partition=long", "-t", "1:00:00"));
  EXPECT_THAT(request.merge, ElementsAre("--reports=/r"));
  EXPECT_TRUE(request.waits);
  EXPECT_EQ(request.gpus, 1);
  EXPECT_EQ(request.most_tasks, 7);
  EXPECT_THAT(submit_request(parsed({"p.json", "-o", "/r/a.json", "--formats", "html"})).merge,
              ElementsAre("--output=/r/a.json", "--formats=html"));
  EXPECT_THAT(submit_request(parsed({"p.json", "--reports", "r"})).merge, ElementsAre("--reports=" + (fs::current_path() / "r").string()));
  // What merge judges and writes is said here.
  EXPECT_THAT(submit_request(parsed({"p.json", "--reports", "/r", "--fail-above", "p95>5", "--progress", "json", "-q", "--by=max"})).merge,
              ElementsAre("--reports=/r", "--by=max", "--fail-above=p95>5", "--quiet"));
}

TEST(SubmitCommand, RefusesWhatItCannotDo) {
  EXPECT_THAT(usage_fault({"p.json"}), HasSubstr("--reports DIR"));
  EXPECT_THAT(usage_fault({"--reports", "/r", "--", "p.json"}), HasSubstr("needs a plan"));
  EXPECT_THAT(usage_fault({"p.json", "q.json", "--reports", "/r"}), HasSubstr("\"q.json\""));
  EXPECT_THAT(usage_fault({"p.json", "--reports", "/r", "--", "--array=1-2"}), HasSubstr("--array"));
  EXPECT_THAT(usage_fault({"p.json", "--reports", "/r", "--", "-d", "afterok:1"}), HasSubstr("-d"));
  EXPECT_THAT(usage_fault({"p.json", "-o", "-"}), HasSubstr("--output"));
  EXPECT_THAT(usage_fault({"p.json", "--reports", "/r", "--engine", "pbs"}), HasSubstr("slurm|local"));
  EXPECT_THAT(usage_fault({"p.json", "--reports", "/r", "--engine", "local", "--", "--mem=1G"}), HasSubstr("no options of sbatch"));
  EXPECT_THAT(usage_fault({"p.json", "--reports", "/r", "--engine", "local", "--tasks", "2"}), HasSubstr("--at-once"));
  EXPECT_THAT(usage_fault({"p.json", "--reports", "/r", "--engine", "local", "--gpus", "1"}), HasSubstr("all GPUs"));
  EXPECT_THAT(usage_fault({"p.json", "--reports", "/r", "--progress", "loud"}), HasSubstr("loud"));
  EXPECT_THAT(usage_fault({"p.json", "--reports", "/r", "--backend", "cpu"}), HasSubstr("settled by the plan"));
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
  EXPECT_THAT(shard_words(work, run, shares, 7, 0), ElementsAre("/opt/cambi", "shard", "/x/plan.json", "--index", "7", "--threads", "1",
                                                                "--quiet", "--device", "0"));
  EXPECT_EQ(shard_words(work, run, shares, 7, 3).back(), "2");
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--backend", "cpu"}, {"--backend=scalar"}, {"--device", "1"}}) {
    work.arguments = arguments;
    EXPECT_THAT(local_shares(work, machine, 0).gpus, IsEmpty());
  }
}

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
    ShardProgress progress({.form = ProgressForm::kJson}, {[this] { return seconds_ += 10; }, write}, work.shards.size(), look_at_results(work));
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
  EXPECT_THAT(shown_, AllOf(HasSubstr("\"event\": \"progress\", \"shards\": 4, \"done\": 0, \"failed\": 1"), HasSubstr("\"event\": \"finish\"")));
}

TEST_F(SlurmWait, GivesUpOnAMergeThatIsGoneWithoutACode) {
  PlanWork work = some_work(folder_.path(), 4);
  try {
    wait(work, queue_of(3, slept_));
    ADD_FAILURE() << "it did not give up";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kIncomplete);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("merge job 8"), HasSubstr("merge-8.log")));
  }
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
  ShardProgress progress({.form = ProgressForm::kPlain}, {[&] { return now; }, [&](std::string_view text) { shown += text; }}, 8,
                         {.done = 4, .failed = 0, .share = 0.5});
  now = 105;
  progress.show({.done = 5, .failed = 0, .share = 0.6});
  EXPECT_EQ(shown, "");
  now = 120;
  progress.show({.done = 6, .failed = 1, .share = 0.75});
  EXPECT_EQ(shown, "6/8 shards  75%  0:20 left  1 failed\n");
}

TEST(ChildProcess, HasTheExitCodeOrTheSignal) {
  EXPECT_EQ(run_child({"sh", "-c", "echo out; echo err >&2; exit 3"}).code, 3);
  const ChildOutput output = run_child({"sh", "-c", "echo out; echo err >&2; kill -9 $$"});
  EXPECT_EQ(output.code, 137);
  EXPECT_EQ(output.out, "out\n");
  EXPECT_EQ(output.err, "err\n");
  const ChildOutput none = run_child({"/no/such program"});
  EXPECT_EQ(none.code, 127);
  EXPECT_THAT(none.err, HasSubstr("/no/such program"));
}

TEST(ChildProcess, ReadsMuchOfBothStreams) {
  const ChildOutput output = run_child({"sh", "-c", "head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero"});
  EXPECT_EQ(output.out.size(), 1000000u);
  EXPECT_EQ(output.err.size(), 1000000u);
}

TEST(ChildProcess, AppendsToItsLog) {
  const test::TemporaryFolder folder;
  const std::string log = folder.path() + "/log";
  EXPECT_EQ(ChildProcess({"sh", "-c", "echo one"}, log).wait(), 0);
  EXPECT_EQ(ChildProcess({"sh", "-c", "echo two >&2; exit 4"}, log).wait(), 4);
  EXPECT_EQ(test::read_file(log), "one\ntwo\n");
  EXPECT_THROW(ChildProcess({"true"}, folder.path() + "/none/log"), Error);
}

}  // namespace
}  // namespace vq::cli
