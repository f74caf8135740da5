#include "cli/cluster/slurm_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <sstream>

#include "cli/system/child_process.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
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
  EXPECT_THAT(slurm_script(jobs),
              AllOf(HasSubstr("#SBATCH --array=0-5%5\n"), HasSubstr("#SBATCH --gres=gpu:2\n"),
                    HasSubstr("--device all"), HasSubstr("--each 2")));
}

// A sbatch that notes its arguments and its script under the number of the call, and that number is the job's
// id.
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
    EXPECT_THAT(
        lines_of(test::read_file(path("words-7"))),
        ElementsAre("--parsable", "--job-name=season1", "--output=" + jobs.logs + "/shards-%A_%a.log"));
    EXPECT_THAT(lines_of(test::read_file(path("words-8"))),
                ElementsAre("--parsable", "--job-name=season1-merge",
                            "--output=" + jobs.logs + "/merge-%j.log", "--dependency=afterany:7"));
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
                          "--output=" + path("it's 100%% $HOME `id` \"x\" \\n") + "/shards-%A_%a.log",
                          "--comment=" + awkward, "--partition", "long"));
  // What the jobs call gets these words.
  test::write_file(jobs.program, "#!/bin/sh\nfor word in \"$@\"; do printf '%s\\n' \"$word\"; done\n");
  ASSERT_EQ(chmod(jobs.program.c_str(), 0755), 0);
  const ChildOutput shard = run_child({"env", "SLURM_ARRAY_TASK_ID=3", "SLURMD_NODENAME=n1",
                                       "SLURM_CPUS_PER_TASK=2", "sh", path("script-7")});
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
  test::write_file(path("program"),
                   "#!/bin/sh\n[ \"$CODE\" -lt 128 ] || kill -$((CODE - 128)) $$\nexit $CODE\n");
  test::write_file(path("scontrol"), "#!/bin/sh\necho \"$@\"\n");
  for (const char* name : {"program", "scontrol"}) ASSERT_EQ(chmod(path(name).c_str(), 0755), 0);
  const auto task = [&](int code, const std::string& starts) -> TaskEnd {
    const ChildOutput output =
        run_child({"env", "PATH=" + folder_.path() + ":/usr/bin:/bin", "CODE=" + std::to_string(code),
                   "SLURM_RESTART_COUNT=" + starts, "SLURM_ARRAY_TASK_ID=3", "SLURMD_NODENAME=n1",
                   "SLURM_JOB_ID=70", "sh", path("script-7")});
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

}  // namespace
}  // namespace vq::cli
