#include "cli/cluster/local_engine.h"

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "cli/cluster/slurm_script.h"
#include "cli/run/memory_limit.h"
#include "cli/run/run_inputs.h"
#include "cli/system/child_process.h"
#include "cli/system/interrupt.h"
#include "vulkan/device.h"

namespace vq::cli {
namespace {

constexpr int kShowMilliseconds = 500;

std::vector<std::string> usable_gpus() {
  std::vector<std::string> gpus;
  for (const vulkan::DeviceInfo& device : vulkan::list_devices().devices) {
    const bool is_gpu = device.type == vulkan::DeviceType::kDiscrete ||
                        device.type == vulkan::DeviceType::kVirtual ||
                        device.type == vulkan::DeviceType::kIntegrated;
    if (is_gpu && device.unusable.empty()) gpus.push_back(std::to_string(device.index));
  }
  return gpus;
}

bool chooses_device(const std::vector<std::string>& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--device" || word.starts_with("--device=")) return true;
    if (word == "--backend=cpu" || word == "--backend=scalar") return true;
    if (word == "--backend" && i + 1 < arguments.size() &&
        (arguments[i + 1] == "cpu" || arguments[i + 1] == "scalar"))
      return true;
  }
  return false;
}

// Threads that each have one process at a time.
class Workers {
 public:
  Workers(const PlanWork& work, const LocalRun& run, const LocalShares& shares)
      : work_(work), run_(run), shares_(shares), left_(shards_left(work)) {
    running_ = shares.at_once;
    for (int worker = 0; worker < shares.at_once; ++worker)
      threads_.emplace_back([this, worker] { score(worker); });
  }

  bool are_running() const { return running_ > 0; }
  void join() {
    threads_.clear();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void score(int worker) {
    try {
      const std::string log = run_.logs + "/local-" + std::to_string(worker) + ".log";
      for (size_t i = next_++; i < left_.size() && interrupt_signal() == 0; i = next_++) {
        ChildProcess(shard_words(work_, run_, shares_, left_[i], worker), log).wait();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      next_ = left_.size();
    }
    --running_;
  }

  const PlanWork& work_;
  const LocalRun& run_;
  const LocalShares& shares_;
  const std::vector<int64_t> left_;
  std::atomic<size_t> next_ = 0;
  std::atomic<int> running_ = 0;
  std::mutex mutex_;
  std::exception_ptr error_;
  std::vector<std::jthread> threads_;
};

}  // namespace

LocalMachine this_machine() {
  return {.cores = thread_count({}), .memory_bytes = default_memory_limit(), .gpus = usable_gpus()};
}

LocalShares local_shares(const PlanWork& work, const LocalMachine& machine, int wanted) {
  const auto left = static_cast<int64_t>(shards_left(work).size());
  int64_t at_once = wanted > 0 ? wanted : std::max(1, machine.cores / std::max(work.threads, 1));
  if (wanted == 0 && work.memory_bytes > 0) {
    at_once = std::min(at_once, std::max<int64_t>(1, machine.memory_bytes / work.memory_bytes));
  }
  LocalShares shares;
  shares.at_once = static_cast<int>(std::clamp<int64_t>(at_once, 1, std::max<int64_t>(left, 1)));
  shares.threads = std::max(1, machine.cores / shares.at_once);
  if (!chooses_device(work.arguments)) shares.gpus = machine.gpus;
  return shares;
}

std::vector<std::string> shard_words(const PlanWork& work, const LocalRun& run, const LocalShares& shares,
                                     int64_t shard, int worker) {
  std::vector<std::string> words = {run.program,
                                    "shard",
                                    work.path,
                                    "--index",
                                    std::to_string(shard),
                                    "--threads",
                                    std::to_string(shares.threads),
                                    "--quiet"};
  if (!shares.gpus.empty()) {
    words.insert(words.end(), {"--device", shares.gpus[static_cast<size_t>(worker) % shares.gpus.size()]});
  }
  return words;
}

std::vector<std::string> merge_words(const PlanWork& work, const LocalRun& run) {
  std::vector<std::string> words = {run.program, "merge", work.path};
  words.insert(words.end(), run.merge.begin(), run.merge.end());
  return words;
}

int run_locally(PlanWork& work, const LocalRun& run, const LocalShares& shares, ShardProgress& progress) {
  {
    PlanWork seen = work;  // the workers read theirs
    Workers workers(work, run, shares);
    while (workers.are_running()) {
      progress.show(look_at_results(seen));
      poll(nullptr, 0, kShowMilliseconds);
    }
    workers.join();
    progress.finish(look_at_results(seen));
    work = seen;
  }
  if (interrupt_signal() != 0) return interrupt_exit_code(interrupt_signal());
  return ChildProcess(merge_words(work, run), "").wait();
}

std::string local_script(const PlanWork& work, const LocalRun& run, const LocalShares& shares) {
  const auto line = [](const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_quoted(word);
    return text + "\n";
  };
  std::vector<std::string> words = shard_words(work, run, shares, 0, 0);
  words[4] = "{}";
  if (!shares.gpus.empty()) words.back() = "all";
  std::string text =
      "#!/bin/sh\n"
      "# Scores the shards of a plan on this machine, " +
      std::to_string(shares.at_once) +
      " at a time, and merges them. Written by cambi " CAMBI_VERSION
      ".\n"
      "# A shard whose result is there is not scored again. One that fails stops no other: the merge says "
      "what is missing.\n";
  text += "seq 0 " + std::to_string(work.shards.size() - 1) + " | xargs -P " +
          std::to_string(shares.at_once) + " -I '{}' " + line(words);
  return text + line(merge_words(work, run));
}

}  // namespace vq::cli
