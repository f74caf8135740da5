// The members of the machine that score a run: the CPU begins, and devices join it as soon as what is left
// takes longer than opening them. A long run begins on a device, and the CPU and other devices join. Each
// member scores a range of frames. When it is done, it takes the end of the range that would be done last.
#pragma once

#include <exception>
#include <list>

#include "cli/run/open_run.h"
#include "cli/run/run_cuts.h"
#include "core/worker_pool.h"
#include "engine/backend_choice.h"
#include "engine/part_findings.h"
#include "engine/report/report.h"

namespace vq::cli {

// Some findings of a range, on their way to the thread that reports them.
struct RangeFindings {
  PartFindings found = {};  // what is not of single frames comes with the last
  std::vector<std::string> warnings = {};
  std::optional<RunFacts> facts = {};  // with the last as well: inputs, backend, stages, bytes
};

// May be used from any thread.
class FindingsQueue {
 public:
  void add(RangeFindings some);
  // No more come, since the range is over, or because of this error.
  void end(std::exception_ptr error = {});
  // The next; waits. Nothing at the end, or if `stop` is requested meanwhile. Throws the error.
  std::optional<RangeFindings> take(const StopToken& stop);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<RangeFindings> waiting_;
  bool is_ended_ = false;
  std::exception_ptr error_;
};

// A member as far as it matters who gets which frames. Times are in seconds.
struct RangeMember {
  bool is_device = false;
  double start = 0;         // from taking a range to its first frame, as expected; what was seen replaces it
  double least = 0;         // work that is worth a start
  bool keeps_front = true;  // of the host: goes on where it began while a device has the rest
  bool steals = true;       // otherwise it takes only what others gave back
};

// A range. What is in it belongs to RunRanges, but for `first` and `taken_end`, which do not change while a
// member has it, and the findings.
struct RunRange {
  RunRange(int64_t first_frame, int64_t end_frame)
      : first(first_frame), end(end_frame), position(first_frame) {}

  int64_t first, end;     // end: the first frame behind it
  int64_t taken_end = 0;  // `end` when its member took it; others may have cut it since
  int64_t position;       // the next frame that its member asks for
  std::optional<size_t> member = {};
  double taken = 0, begun = -1;  // times; begun: of its first frame, below 0 before that
  // Where it was at some time, by which its pace is measured: a moment ago, and before that.
  struct Mark {
    double time = 0;
    int64_t position = 0;
  };
  Mark mark = {}, mark_before = {};
  bool is_over = false;
  FindingsQueue findings = {};
};

// May be used from any thread. Frames have the numbers of the run.
class RunRanges {
 public:
  // The most frames between the last one that was delivered and those at work: findings wait in memory.
  static constexpr int64_t kWindow = 16384;
  // The run begins with a range of all frames, which `first` has: member 0. `now` tells seconds.
  RunRanges(const RangeMember& first, std::function<double()> now);

  const std::shared_ptr<RunRange>& first_range() const { return first_range_; }
  // From now on ranges may be cut at these frames, ascending; the run ends before frame `end`, if its videos
  // do not before.
  void open(std::vector<int64_t> cuts, int64_t end);
  size_t add_member(const RangeMember& member);

  // Whether the range's member may score that frame, or the range ends before it. Needs: frames ascend.
  bool may_use(RunRange& range, int64_t frame);
  // The range is scored up to its end, which is returned.
  int64_t finish(RunRange& range);
  // Its member cannot go on, and leaves the run: frames from `next` on are free again.
  void give_back(RunRange& range, int64_t next);
  // The member leaves while it has a range, which no other member could score either.
  void leave(size_t member);
  // All frames before this one were delivered.
  void delivered(int64_t next);
  // From now on no range is given out.
  void stop();

  // Whether there are frames from this one on that are not of the first range.
  bool goes_on_at(int64_t frame);
  // A range for the member, which it scores next. Waits while there may be one later. Null once there is
  // nothing to do.
  std::shared_ptr<RunRange> take(size_t member);
  // The same without waiting: null as well if there is none now.
  std::shared_ptr<RunRange> take_now(size_t member);
  // How long the range that would end last takes, in seconds; 0 if all are over.
  double longest_rest();
  // Needs: the range is over.
  int64_t end_of(const RunRange& range);
  // The range that begins at this frame; waits until a member has it. Null if the run ends before it, and if
  // all members have left or `stop` is requested.
  std::shared_ptr<RunRange> range_at(int64_t first, const StopToken& stop);

 private:
  using Range = std::shared_ptr<RunRange>;
  struct Member {
    RangeMember traits;
    double pace = 0;  // frames a second in its last range; 0: unknown
    bool has_left = false;
  };
  double pace_in(const RunRange& range) const;
  double pace_of(size_t member) const;
  double seconds_left(const RunRange& range) const;
  Range last_to_end(int64_t before) const;
  bool is_over() const;
  Range take_one(size_t member);
  Range take_free(size_t member);
  Range steal(size_t member);
  std::optional<int64_t> place_to_cut(size_t member, const RunRange& victim, int64_t end) const;
  std::span<const int64_t> cuts_from(double wanted, double least, int64_t end) const;
  int64_t last_cut(int64_t most) const;
  void split(const Range& range, int64_t at);
  Range give(const Range& range, size_t member);

  const std::function<double()> now_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Member> members_;
  std::list<Range> ranges_;  // in the order of their frames, without gaps
  Range first_range_;
  std::vector<int64_t> cuts_;
  int64_t end_ = 0, delivered_ = 0;
  bool is_open_ = false, is_stopped_ = false;
};

// Scores the range of RunOptions::part on this thread, and asks `may_use` before each frame. Gives findings
// to `give` as they come, also before it throws; with all of them the facts of the run. Throws as ScoringRun.
struct RangeWork {
  const RunOptions& options;
  std::function<bool(int64_t frame)> may_use;
  std::function<void(RangeFindings)> give;
};
void score_range(const RangeWork& work);

// The options of a run's parts: without what is done once, and with what was found of its videos before the
// first frame.
RunOptions options_of_parts(const RunOptions& asked, const SettledRun& run);

class RunMembers {
 public:
  // `asked` are the options of the whole run, and `run` what was settled of it; both outlive this.
  // Needs: SettledRun::may_be_joined.
  RunMembers(const RunOptions& asked, const SettledRun& run);
  ~RunMembers();  // stops all members and waits for them, but for what is in a driver to open a device
  RunMembers& operator=(RunMembers&&) = delete;

  // Whether the member that begins goes on with this frame: see PairReader::bound().
  bool may_use(int64_t frame) { return ranges_.may_use(*ranges_.first_range(), frame); }
  // To be called while it scores: has devices join once that pays. `expected`: frames of the run, if known.
  void look(int64_t scored, std::optional<int64_t> expected);
  // Warnings since the last call, of devices that cannot join.
  std::vector<std::string> take_warnings();
  // To be called when the first range is scored. False if that was all.
  bool end_first();
  // Needs: end_first() returned true. A CPU that began takes further ranges. A device that began does if
  // enough is left, while the CPU, which joined it, takes what others give back. The run's pool is idle.
  void go_on();
  // The next findings of the other ranges, in order; waits. Nothing at the end of the run, and if that is to
  // be stopped. Throws what the range's member threw at that place.
  std::optional<RangeFindings> next();
  // The first frame of the ranges of which next() has not returned everything. Needs: end_first().
  int64_t next_frame() const { return next_; }

 private:
  using Joining = std::shared_ptr<void>;  // counts a thread among those that join while it has one
  void begin_to_join();
  // A job returns false if the run ended while it was in a driver: this object is gone then.
  template <typename Job>
  void start(Job job);
  bool join_devices(Joining joining);
  void open_cuts();
  void start_device(const BackendChoice& choice);
  bool run_device(BackendChoice choice, Joining joining);
  void run_host(size_t member, std::shared_ptr<WorkerPool> pool);
  void note_compiling(const std::shared_ptr<vulkan::Device>& device, bool is_begun);
  void compile(const BackendChoice& choice) const;
  void work(size_t member, RunOptions options, const std::string& name, Joining joining);
  bool score(size_t member, RunRange& range, RunOptions& options, const std::string& name);
  void fail(size_t member, RunRange& range, int64_t next);
  void warn_later(const std::string& line);

  const RunOptions& asked_;
  const SettledRun& run_;
  std::atomic<bool> is_stopped_ = false;
  RunOptions options_;  // of all parts
  RunRanges ranges_;
  bool has_begun_ = false;                           // to join devices
  std::optional<std::pair<double, int64_t>> first_;  // when first frames were scored, and how many
  std::optional<StreamIndex> distorted_, reference_;
  std::unique_ptr<RunCuts> cuts_;
  std::shared_ptr<RunRange> delivering_;
  int64_t next_ = 0;
  struct Threads;
  std::shared_ptr<Threads> threads_;                        // that open devices and score on them
  mutable std::mutex mutex_;                                // for the next
  std::vector<BackendChoice> began_;                        // the devices that began
  std::vector<std::string> warnings_;                       // of no range
  std::exception_ptr failure_;                              // of the host
  std::vector<std::shared_ptr<vulkan::Device>> compiling_;  // for this run alone
  std::jthread host_;                                       // joined before other members are destroyed
};

}  // namespace vq::cli
