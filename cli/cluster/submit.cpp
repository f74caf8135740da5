#include "cli/cluster/submit.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "cli/cluster/plan.h"
#include "cli/cluster/slurm_wait.h"
#include "cli/system/child_process.h"
#include "cli/system/interrupt.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kNotFound = 127;  // a shell's exit code for a program that is not there

// Of this program as it runs, whatever name it was called by.
std::string own_program() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  if (error) throw Error(ErrorKind::kInternal, "cannot find this program: " + error.message());
  return path.string();
}

std::string logs_of(const PlanWork& work) {
  return work.results + "/logs";
}

void make_logs_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    throw Error(ErrorKind::kOutput, shown_path(path) + ": cannot make the folder: " + error.message());
}

// What the cluster says, or what is usual where it cannot be asked.
int64_t max_array_size() {
  const ChildOutput output = run_child({"scontrol", "show", "config"});
  std::istringstream lines(output.out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, equals;
    long long value = 0;
    if (words >> name >> equals >> value && name == "MaxArraySize" && value > 0) return value;
  }
  return kUsualArraySize;
}

// The last line of what sbatch, or the shell, said.
std::string reason_of(const ChildOutput& output) {
  std::string text = output.err;
  while (text.ends_with('\n')) text.pop_back();
  return printable(text.substr(text.rfind('\n') + 1), 300);
}

SlurmIds submit_script(const std::string& script) {
  const ChildOutput output = run_child({"sh", "-c", script});
  if (output.code == kNotFound) {
    throw Error(ErrorKind::kUsage,
                "sbatch was not found, so there is no Slurm here. On this machine alone: --engine local");
  }
  std::vector<std::string> ids;
  std::istringstream words(output.out);
  for (std::string word; words >> word;) ids.push_back(word);
  if (output.code != 0 || ids.empty() || ids.size() > 2) {
    throw Error(ErrorKind::kBackend, "sbatch refused: " + reason_of(output) +
                                         ". Try: --engine local for this machine alone, or --dry-run to see "
                                         "what it was asked for");
  }
  return {.array = ids.size() == 2 ? ids[0] : "", .merge = ids.back()};
}

void show_log(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  write_stdout(text.str());
}

int wait_for(const SubmitRequest& request, const SlurmIds& ids, PlanWork& work, Messages& messages) {
  ShardProgress progress(shard_progress_settings(request.progress, request.is_quiet),
                         {seconds_now, write_stderr, terminal_width}, work.shards.size(),
                         look_at_results(work));
  const WaitEnd end = wait_for_slurm(ids, work, logs_of(work), progress, slurm_queue(), messages);
  if (end.has_log) show_log(merge_log_path(logs_of(work), ids.merge));
  return end.code;
}

int submit_to_slurm(const SubmitRequest& request, PlanWork& work, Messages& messages) {
  const SlurmJobs jobs = slurm_jobs(request, work, max_array_size());
  const std::string script = slurm_script(jobs);
  if (request.is_dry_run) {
    write_stdout(script);
    return 0;
  }
  make_logs_folder(jobs.logs);
  const SlurmIds ids = submit_script(script);
  std::string text;
  if (!ids.array.empty()) text += "array " + ids.array + "\n";
  write_stdout(text + "merge " + ids.merge + "\n");
  if (request.waits) return wait_for(request, ids, work, messages);
  if (!request.is_quiet) messages.note("logs of the jobs: " + shown_path(jobs.logs));
  return 0;
}

int submit_locally(const SubmitRequest& request, PlanWork& work) {
  const LocalRun run{.program = own_program(), .logs = logs_of(work), .merge = request.merge};
  const LocalShares shares = local_shares(work, this_machine(), request.at_once);
  if (request.is_dry_run) {
    write_stdout(local_script(work, run, shares));
    return 0;
  }
  make_logs_folder(run.logs);
  ShardProgress progress(shard_progress_settings(request.progress, request.is_quiet),
                         {seconds_now, write_stderr, terminal_width}, work.shards.size(),
                         look_at_results(work));
  return run_locally(work, run, shares, progress);
}

}  // namespace

SlurmJobs slurm_jobs(const SubmitRequest& request, const PlanWork& work, int64_t array_size) {
  constexpr int64_t kLeastMemory = int64_t{512} << 20;
  const int64_t most = request.most_tasks > 0 ? std::min(request.most_tasks, array_size) : array_size;
  SlurmJobs jobs;
  jobs.name = fs::path(work.path).stem().string();
  jobs.program = own_program();
  jobs.plan = work.path;
  jobs.logs = logs_of(work);
  jobs.shards = static_cast<int64_t>(work.shards.size());
  jobs.tasks = task_array(jobs.shards, shards_left(work), most);
  jobs.at_once = request.at_once;
  jobs.cores = work.threads;
  // A run takes at most three quarters of what its control group allows.
  jobs.memory_bytes = std::max(kLeastMemory, work.memory_bytes / 3 * 4);
  jobs.gpus = request.gpus;
  jobs.merge = request.merge;
  jobs.options = request.options;
  return jobs;
}

int submit_plan(const SubmitRequest& request, Messages& messages) {
  PlanWork work = plan_work(PlanFile(request.plan));
  if (request.engine == Engine::kSlurm) return submit_to_slurm(request, work, messages);
  const int code = submit_locally(request, work);
  if (interrupt_signal() != 0) messages.error("interrupted; the same command goes on with what is left");
  return code;
}

}  // namespace vq::cli
