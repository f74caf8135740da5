// The members of the machine that score a run: the CPU begins, and devices join it as soon as what is left
// takes longer than opening them. A long run begins on a device, and the CPU and other devices join.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/run/open_run.h"
#include "cli/run/run_cuts.h"
#include "cli/run/run_ranges.h"
#include "engine/backend_choice.h"

namespace vq::cli {

// Scores the range of RunOptions::part on this thread, and asks `may_use` before each frame. Gives findings
// to `give` as they come, also before it throws; with all of them the facts of the run. Throws as ScoringRun.
struct RangeWork {
  const RunOptions& options;
  std::function<bool(int64_t frame)> may_use;
  std::function<void(RangeFindings)> give;
};
using ScoreRange = std::function<void(const RangeWork& work)>;

class RunMembers {
 public:
  // `asked` are the options of the whole run, and `run` what was settled of it; both outlive this.
  // SettledRun::may_be_joined.
  RunMembers(const RunOptions& asked, const SettledRun& run, ScoreRange score);
  ~RunMembers();  // stops all members and waits for them
  RunMembers(const RunMembers&) = delete;
  RunMembers& operator=(const RunMembers&) = delete;

  // Whether the member that begins goes on with this frame: see PairReader::bound().
  bool may_use(int64_t frame) { return ranges_.may_use(*ranges_.first_range(), frame); }
  // To be called while it scores: has devices join once that pays. `expected`: frames of the run, if known.
  void look(int64_t scored, std::optional<int64_t> expected);
  // Warnings since the last call, of devices that cannot join.
  std::vector<std::string> take_warnings();
  // To be called when the first range is scored. False if that was all.
  bool end_first();
  // Then: the CPU takes others from now on, or what others give back if it has joined. The run's pool has
  // nothing else to do.
  void go_on();
  // The next findings of the other ranges, in order; waits. Nothing at the end of the run, and if that is to
  // be stopped. Throws what the range's member threw at that place.
  std::optional<RangeFindings> next();
  // The first frame of the ranges of which next() has not returned everything. Needs: end_first().
  int64_t next_frame() const { return next_; }

 private:
  class Joining;
  void begin_to_join();
  void wait_for_devices();
  void note_joined();
  void join_devices();
  void open_cuts();
  void run_device(BackendChoice choice);
  void run_host(size_t member, std::shared_ptr<WorkerPool> pool);
  void note_compiling(const std::shared_ptr<vulkan::Device>& device, bool is_begun);
  void compile(const BackendChoice& choice) const;
  void open_decoder(BackendChoice choice) const;
  void work(size_t member, RunOptions options, const std::string& name, Joining* joining);
  bool score(size_t member, RunRange& range, RunOptions& options, const std::string& name);
  void fail(size_t member, RunRange& range, int64_t next);
  void warn_later(const std::string& line);

  const RunOptions& asked_;
  const SettledRun& run_;
  const ScoreRange score_;
  std::atomic<bool> is_stopped_ = false;
  RunOptions options_;  // of all parts
  RunRanges ranges_;
  bool has_begun_ = false;                           // to join devices
  std::optional<std::pair<double, int64_t>> first_;  // when first frames were scored, and how many
  std::optional<StreamIndex> distorted_, reference_;
  std::unique_ptr<RunCuts> cuts_;
  std::shared_ptr<RunRange> delivering_;
  int64_t next_ = 0;
  mutable std::mutex mutex_;  // for the next
  std::condition_variable joined_;
  int joining_ = 0;                                         // number of threads that open devices
  std::vector<std::string> warnings_;                       // of no range
  std::exception_ptr failure_;                              // of the host
  std::vector<std::shared_ptr<vulkan::Device>> compiling_;  // for this run alone
  std::vector<std::jthread> devices_;
  std::jthread opening_, host_;  // joined before other members are destroyed
};

}  // namespace vq::cli
