// Waits for jobs that were handed to Slurm.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/cluster/plan_work.h"
#include "cli/cluster/shard_progress.h"
#include "cli/system/messages.h"

namespace vq::cli {

struct SlurmIds {
  std::string array;  // empty where there is nothing but the merge
  std::string merge;
};

// What is asked of the cluster; injected so that tests need none.
struct QueuePort {
  // Whether the job waits or runs; nothing where Slurm cannot be asked now, and `reason` says why.
  std::function<std::optional<bool>(const std::string& id, std::string& reason)> is_queued;
  // May return earlier, as after a signal.
  std::function<void(double seconds)> sleep;
  std::function<int()> interrupt;  // as interrupt_signal()
};
QueuePort slurm_queue();

struct WaitEnd {
  int code = 0;          // of the merge job; 128 + signal where waiting was interrupted
  bool has_log = false;  // the merge job ended, and said something
};

// Shows progress until the merge job has noted its exit code in `logs`. A controller that does not answer is
// waited for. After a signal the jobs go on. Throws Error{kIncomplete} where the merge job is gone without
// such a note.
WaitEnd wait_for_slurm(const SlurmIds& ids, PlanWork& work, const std::string& logs, ShardProgress& progress,
                       const QueuePort& port, Messages& messages);

}  // namespace vq::cli
