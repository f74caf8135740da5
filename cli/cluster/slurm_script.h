// What hands a plan to Slurm: a shell script that people can read, edit and run themselves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vq::cli {

// Slurm's MaxArraySize where a cluster does not say otherwise.
inline constexpr int64_t kUsualArraySize = 1001;
// How often a task is started again on its own account.
inline constexpr int kMoreTries = 2;

// How shards are put on the tasks of an array: task K has the shards K * each to K * each + each - 1.
struct TaskArray {
  int64_t each = 1;
  int64_t count = 0;    // of tasks that are needed
  std::string indices;  // of those, as sbatch takes them: "0-3,7"; empty: none is needed
};

// An array of at most `most` tasks in which every shard that is left has its task. Needs: `left` in ascending
// order and below `shards`, most >= 1.
TaskArray task_array(int64_t shards, const std::vector<int64_t>& left, int64_t most);

struct SlurmJobs {
  std::string name;                 // of the jobs
  std::string program, plan, logs;  // absolute paths; the logs' is a folder
  int64_t shards = 0;               // of the plan
  TaskArray tasks;
  int64_t at_once = 0;               // tasks at a time; 0: as many as there is room for
  int cores = 1;                     // of a task
  int64_t memory_bytes = 0;          // of a task
  int gpus = 0;                      // of a task
  std::vector<std::string> merge;    // what `cambi merge PLAN` is given beside the plan
  std::vector<std::string> options;  // of sbatch, for both jobs
};

// Writes on standard output the ids of the array (empty where no task is needed) and of the merge job: "12
// 13". Every path and option comes out of the shell as it is here.
std::string slurm_script(const SlurmJobs& jobs);

// Where the merge job notes its exit code, and what it says. `id`: of the job.
std::string merge_code_path(const std::string& logs, const std::string& id);
std::string merge_log_path(const std::string& logs, const std::string& id);

// A word as a POSIX shell reads it back, whatever is in it.
std::string shell_quoted(const std::string& word);

}  // namespace vq::cli
