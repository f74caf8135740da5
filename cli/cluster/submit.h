// Hands a plan to those who score it: Slurm, or this machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/cluster/local_engine.h"
#include "cli/cluster/slurm_script.h"
#include "cli/run/progress.h"
#include "cli/system/messages.h"

namespace vq::cli {

enum class Engine { kSlurm, kLocal };

struct SubmitRequest {
  std::string plan;
  Engine engine = Engine::kSlurm;
  std::vector<std::string> merge;  // what `cambi merge PLAN` is given beside the plan, with absolute paths
  int64_t most_tasks = 0;          // of the array; 0: as many as the cluster takes
  int at_once = 0;                 // tasks, or shards on this machine; 0: as many as there is room for
  int gpus = 0;                    // of a task
  bool is_dry_run = false, waits = false, is_quiet = false;
  ProgressForm progress = ProgressForm::kAuto;
  std::vector<std::string> options;  // of sbatch
};

// The jobs for what is left of a plan. `array_size`: MaxArraySize of the cluster.
SlurmJobs slurm_jobs(const SubmitRequest& request, const PlanWork& work, int64_t array_size);

// Prints the ids of the jobs, the merge's last, or under --dry-run the script. Returns the exit code: of the
// merge where it is waited for, else 0. Throws Error: kInput for the plan, kUsage where there is no Slurm,
// kBackend where sbatch refuses, kOutput for the logs.
int submit_plan(const SubmitRequest& request, Messages& messages);

}  // namespace vq::cli
