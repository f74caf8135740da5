// Divides the frames of a run into ranges. One member of the machine scores each range: the host with its
// cores, or a device. A member that is done takes the end of the range that would be done last.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/worker_pool.h"
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
  int64_t taken_end = 0;  // that when its member took it, from which it may have been cut since
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
  bool is_over() const;
  Range take_one(size_t member);
  Range take_free(size_t member);
  Range steal(size_t member);
  std::optional<int64_t> place_to_cut(size_t member, const RunRange& victim, int64_t end) const;
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

}  // namespace vq::cli
