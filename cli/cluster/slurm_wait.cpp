#include "cli/cluster/slurm_wait.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "cli/cluster/slurm_script.h"
#include "cli/system/child_process.h"
#include "cli/system/interrupt.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

// A network file system may show a file a minute after another machine has written it.
constexpr double kNoteSeconds = 90;

// Each look asks the file system for every shard that is not done, so the more there are the rarer it is.
double pause_for(size_t open_shards) {
  return std::clamp(static_cast<double>(open_shards) / 200, 2.0, 60.0);
}

std::optional<int> noted_code(const std::string& path) {
  std::ifstream file(path);
  int code = 0;
  if (!(file >> code)) return std::nullopt;
  return code;
}

std::optional<bool> ask_squeue(const std::string& id, std::string& reason) {
  const ChildOutput output =
      run_child({"squeue", "--noheader", "--format=%A", "--user=" + std::to_string(getuid())});
  if (output.code != 0) {
    reason = output.err.substr(0, output.err.find('\n'));
    return std::nullopt;
  }
  std::istringstream lines(output.out);
  for (std::string line; lines >> line;) {
    if (line == id) return true;
  }
  return false;
}

void sleep_unless_interrupted(double seconds) {
  for (double slept = 0; slept < seconds && interrupt_signal() == 0; slept += kWaitMilliseconds / 1000.0) {
    poll(nullptr, 0, kWaitMilliseconds);
  }
}

std::string go_on_note(const SlurmIds& ids) {
  const std::string jobs = ids.array.empty() ? ids.merge : ids.array + " " + ids.merge;
  return "the jobs go on; to stop them: scancel " + jobs;
}

}  // namespace

QueuePort slurm_queue() {
  return {ask_squeue, sleep_unless_interrupted, interrupt_signal};
}

WaitEnd wait_for_slurm(const SlurmIds& ids, PlanWork& work, const std::string& logs, ShardProgress& progress,
                       const QueuePort& port, Messages& messages) {
  const std::string note = merge_code_path(logs, ids.merge);
  double gone_seconds = 0;
  bool has_complained = false;
  while (true) {
    const std::optional<int> code = noted_code(note);
    const WorkState state = look_at_results(work);
    if (code) {
      progress.finish(state);
      return {.code = *code, .has_log = true};
    }
    progress.show(state);
    std::string reason;
    const std::optional<bool> is_queued = port.is_queued(ids.merge, reason);
    if (!is_queued && !has_complained && port.interrupt() == 0) {
      progress.clear();
      messages.note("squeue cannot tell how the jobs are, but they may go on, so this waits: " +
                    printable(reason, 200));
      has_complained = true;
    }
    if (gone_seconds >= kNoteSeconds) {
      progress.finish(state);
      throw Error(ErrorKind::kIncomplete, "the merge job " + ids.merge +
                                              " is gone without a result, as one that was cancelled; see " +
                                              shown_path(merge_log_path(logs, ids.merge)) +
                                              ". What is scored stays. Try: cambi submit " +
                                              shown_path(work.path));
    }
    const double pause = pause_for(work.shards.size() - state.done);
    gone_seconds = is_queued == false ? gone_seconds + pause : 0;
    port.sleep(pause);
    if (port.interrupt() != 0) {
      progress.finish(state);
      messages.note(go_on_note(ids));
      return {.code = interrupt_exit_code(port.interrupt())};
    }
  }
}

}  // namespace vq::cli
