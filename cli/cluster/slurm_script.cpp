#include "cli/cluster/slurm_script.h"

#include <algorithm>

#include "core/text/message_text.h"

namespace vq::cli {
namespace {

// Beyond that a list of single tasks is no longer worth it: those that are done already end at once.
constexpr size_t kLongestIndices = 4000;
constexpr int64_t kMergeMebibytes = 2048;

std::string range_text(int64_t first, int64_t last) {
  return first == last ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(last);
}

// Without line ends, for a comment.
std::string in_comment(const std::string& text) {
  return printable(text, 200);
}

std::string quoted_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += " " + shell_quoted(word);
  return text;
}

// A path in which sbatch looks for patterns such as %j.
std::string without_patterns(const std::string& path) {
  std::string text;
  for (const char c : path) text.append(c == '%' ? 2 : 1, c);
  return text;
}

std::string directive(const std::string& option) {
  return "#SBATCH " + option + "\n";
}

std::string paths_of(const SlurmJobs& jobs) {
  return "cambi=" + shell_quoted(jobs.program) + "\nplan=" + shell_quoted(jobs.plan) + "\n";
}

std::string which_shards(const SlurmJobs& jobs) {
  if (jobs.tasks.each == 1) return "# Task K scores shard K.\n";
  const std::string each = std::to_string(jobs.tasks.each);
  return "# Task K scores the shards " + each + "*K to " + each + "*K+" +
         std::to_string(jobs.tasks.each - 1) + ".\n";
}

std::string shard_command(const SlurmJobs& jobs) {
  std::string command = R"("$cambi" shard "$plan" --index "$SLURM_ARRAY_TASK_ID")";
  if (jobs.tasks.each > 1) command += " --each " + std::to_string(jobs.tasks.each);
  command += " --threads \"${SLURM_CPUS_PER_TASK:-" + std::to_string(jobs.cores) + "}\"";
  if (jobs.gpus > 0) command += " --device all";
  return command + " --quiet";
}

std::string shard_directives(const SlurmJobs& jobs) {
  std::string indices = jobs.tasks.indices;
  if (jobs.at_once > 0) indices += "%" + std::to_string(jobs.at_once);
  const int64_t mebibytes = std::max<int64_t>(1, (jobs.memory_bytes + (1 << 20) - 1) >> 20);
  std::string text = directive("--array=" + indices) + directive("--requeue") +
                     directive("--open-mode=append") + directive("--nodes=1") + directive("--ntasks=1") +
                     directive("--cpus-per-task=" + std::to_string(jobs.cores)) +
                     directive("--mem=" + std::to_string(mebibytes) + "M");
  if (jobs.gpus > 0) text += directive("--gres=gpu:" + std::to_string(jobs.gpus));
  return text;
}

std::string shard_job(const SlurmJobs& jobs) {
  std::string text =
      "# The array. --requeue: tasks of a node that is lost run again on another one. A shard whose result "
      "is there is not\n"
      "# scored again, so that any task may run again at any time.\n";
  if (jobs.gpus > 0) {
    text +=
        "# --device all: of the GPUs that the task can see. Where nodes do not hide those of other jobs "
        "(ConstrainDevices in\n"
        "# Slurm's cgroup.conf), the tasks of a node share all of its GPUs.\n";
  }
  text +=
      "array=$(sbatch --parsable --job-name=\"$name\" --output=\"$patterns/shards-%A_%a.log\" \"$@\" "
      "<<'END_OF_SHARDS'\n#!/bin/sh\n" +
      shard_directives(jobs) + which_shards(jobs) + paths_of(jobs);
  text +=
      "echo \"== $(date -u +%Y-%m-%dT%H:%M:%SZ) task $SLURM_ARRAY_TASK_ID on $SLURMD_NODENAME\"\n"
      "code=0\n" +
      shard_command(jobs) + " || code=$?\n";
  text +=
      "# What may go well elsewhere or later is tried again: a device (4), a disk (5) or memory (8) that "
      "failed, and a process\n"
      "# that was killed (137) or crashed. Of what is wrong with a video, another node finds the same.\n"
      "case $code in\n"
      "  4 | 5 | 8 | 70 | 13[4-9])\n"
      "    if [ \"${SLURM_RESTART_COUNT:-0}\" -lt " +
      std::to_string(kMoreTries) +
      " ]; then\n"
      "      echo \"exit code $code; this task is put into the queue again\"\n"
      "      scontrol requeue \"$SLURM_JOB_ID\"\n"
      "    fi\n"
      "    ;;\n"
      "esac\n"
      "exit \"$code\"\n"
      "END_OF_SHARDS\n"
      ")\n"
      "array=${array%%;*}\n\n";
  return text;
}

std::string merge_job(const SlurmJobs& jobs) {
  const bool follows = !jobs.tasks.indices.empty();
  std::string text =
      "# The merge, when all tasks have ended, however they did: it says which shards are missing, and why.\n"
      "merge=$(sbatch --parsable --job-name=\"$name-merge\" --output=\"$patterns/merge-%j.log\" \"$@\" ";
  if (follows) text += "--dependency=\"afterany:$array\" ";
  text += "<<'END_OF_MERGE'\n#!/bin/sh\n" + directive("--requeue") + directive("--nodes=1") +
          directive("--ntasks=1") + directive("--cpus-per-task=1") +
          directive("--mem=" + std::to_string(kMergeMebibytes) + "M") + paths_of(jobs);
  text += "logs=" + shell_quoted(jobs.logs) +
          "\n"
          "code=0\n"
          "\"$cambi\" merge \"$plan\"" +
          quoted_words(jobs.merge) +
          " || code=$?\n"
          "# For cambi submit --wait, which ends with it.\n"
          "echo \"$code\" >\"$logs/merge-$SLURM_JOB_ID.code.new\"\n"
          "mv \"$logs/merge-$SLURM_JOB_ID.code.new\" \"$logs/merge-$SLURM_JOB_ID.code\"\n"
          "exit \"$code\"\n"
          "END_OF_MERGE\n"
          ")\n"
          "merge=${merge%%;*}\n\n";
  return text;
}

}  // namespace

TaskArray task_array(int64_t shards, const std::vector<int64_t>& left, int64_t most) {
  TaskArray array;
  array.each = std::max<int64_t>(1, (shards + most - 1) / most);
  if (left.empty()) return array;
  int64_t first = -1, last = -1;
  const auto add_range = [&] {
    if (first >= 0) array.indices += (array.indices.empty() ? "" : ",") + range_text(first, last);
  };
  for (const int64_t shard : left) {
    const int64_t task = shard / array.each;
    if (task == last) continue;
    ++array.count;
    if (task != last + 1 || first < 0) {
      add_range();
      first = task;
    }
    last = task;
  }
  add_range();
  if (array.indices.size() > kLongestIndices) {
    array.count = (shards + array.each - 1) / array.each;
    array.indices = range_text(0, array.count - 1);
  }
  return array;
}

std::string shell_quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'') {
      text += "'\\''";
    } else {
      text += c;
    }
  }
  return text + "'";
}

std::string merge_code_path(const std::string& logs, const std::string& id) {
  return logs + "/merge-" + id + ".code";
}

std::string merge_log_path(const std::string& logs, const std::string& id) {
  return logs + "/merge-" + id + ".log";
}

std::string slurm_script(const SlurmJobs& jobs) {
  std::string text =
      "#!/bin/sh\n"
      "# Hands " +
      in_comment(jobs.plan) + " to Slurm: " + counted(jobs.shards, "shard") + " in an array of " +
      counted(jobs.tasks.count, "task") +
      ", and a job that\n"
      "# merges them. Written by cambi " CAMBI_VERSION
      ". Edit it as you like and run it: sh FILE. It prints the ids of both jobs.\n"
      "set -eu\n\n"
      "name=" +
      shell_quoted(jobs.name) +
      "\n"
      "# Of what the jobs write; in options of sbatch a percent sign is written twice.\n"
      "logs=" +
      shell_quoted(jobs.logs) +
      "\n"
      "patterns=" +
      shell_quoted(without_patterns(jobs.logs)) +
      "\n"
      "mkdir -p \"$logs\"\n\n"
      "# Options of sbatch for both jobs; they win over the lines #SBATCH.\n"
      "set --" +
      quoted_words(jobs.options) + "\n\n";
  if (jobs.tasks.indices.empty()) {
    text += "# All shards have their results: there is nothing to do but to merge them.\narray=\n\n";
  } else {
    text += shard_job(jobs);
  }
  return text + merge_job(jobs) + "echo \"$array $merge\"\n";
}

}  // namespace vq::cli
