// A fixed set of threads that run tasks in the order they were submitted.
#pragma once

#include <condition_variable>
#include <future>
#include <map>
#include <thread>

#include "core/error.h"
#include "core/frame.h"
#include "core/metric.h"

namespace vq {

// The processors that this process may use, at least 1.
int usable_cores();

class WorkerPool {
 public:
  // `threads` is at least 1. With one thread no thread is started: tasks run inside submit(). If the system
  // refuses a thread, the pool continues with those it has, even none; see size().
  explicit WorkerPool(int threads);
  ~WorkerPool();  // finishes all submitted tasks
  WorkerPool& operator=(WorkerPool&&) = delete;

  int size() const { return size_; }
  // The future's get() rethrows an exception of the task.
  std::future<void> submit(std::packaged_task<void()> task);

 private:
  void work();

  int size_ = 1;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::packaged_task<void()>> queue_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

// Frames in flight: started in order, scored in any order, delivered in order.

// One frame in flight.
struct FrameJob {
  // Releases the samples, which are not needed once the frame is scored.
  void release_frames();

  FramePair frames;
  bool repeats = false;  // identical to the previous frame: not computed, and nothing below is set
  std::vector<FrameResult> results;
  std::future<void> begun;  // with a device: ready when the device has its work; fails as `done`
  std::future<void> done;   // fails with the frame's Error if it cannot be scored
};

class OrderedFrames {
 public:
  // A frame repeats the previous one if all planes that `use` names do: see Frame::repeated_planes. A
  // reported frame never repeats an unreported one. If features read previous frames, these must be repeats
  // as well.
  explicit OrderedFrames(const FrameNeeds& use) : use_(use) {}
  ~OrderedFrames();  // waits for tasks that still use a job
  OrderedFrames& operator=(OrderedFrames&&) = delete;

  size_t size() const { return jobs_.size(); }
  // The reference stays valid until the job is delivered. The first frame's repeated_planes is ignored, since
  // its predecessor was not scored here.
  FrameJob& add(const FramePair& frames);
  FrameJob& first() { return *jobs_.front(); }
  FrameJob& job(size_t i) { return *jobs_[i]; }  // the first is 0
  // Whether deliver_first() would return without waiting.
  bool first_is_done() const;
  // Waits for the first job's `done`, which must be valid unless the job repeats, passes its results to the
  // sink and removes it. Throws the error of `done`.
  void deliver_first(ScoreSink& sink);
  int64_t repeated_frames() const { return repeated_frames_; }  // number of reported ones

 private:
  bool is_same_as_last(const FramePair& frames) const;
  bool repeats_last(const FramePair& frames);

  const FrameNeeds use_;
  std::deque<std::unique_ptr<FrameJob>> jobs_;
  std::optional<bool> last_was_reported_;  // true: all features scored it; absent before the first frame
  // number of consecutive frames, up to the last, that are identical to their predecessors
  int equal_before_ = 0;
  int64_t repeated_frames_ = 0;
  std::vector<FrameResult> delivered_;  // results of the last delivered frame, for frames that repeat it
};

// The error with the video's name and the frame number added.
Error at_frame(const Error& error, const std::string& video, int64_t frame);

// Computes several values in parallel.

// The results of make(0), make(1), ... make(count - 1), in order. The first is computed in this thread, each
// other in a thread of its own if the system provides one. All have ended when this returns. Throws the
// exception of the lowest index that failed.
template <typename Make>
auto parallel_map(size_t count, Make make) -> std::vector<decltype(make(size_t{}))> {
  std::vector<std::future<decltype(make(size_t{}))>> others;
  for (size_t i = 1; i < count; ++i) {
    others.push_back(std::async(std::launch::async | std::launch::deferred, make, i));
  }
  std::vector<decltype(make(size_t{}))> all;
  all.reserve(count);
  if (count > 0) all.push_back(make(size_t{0}));
  for (auto& other : others) all.push_back(other.get());
  return all;
}

// Items of several members that belong together by a number.

// Collects the items of a number until every member has come to it, with an item or without. Nobody waits in
// here: whoever completes a number takes its items, and so does whoever no longer wants to wait for the
// others. Each item is taken once. May be used from any thread.
template <typename Item>
class Rendezvous {
 public:
  using Batch = std::vector<Item>;  // of one number, in the order in which they came

  // A new member, that has not come to any number. Returns its place.
  size_t join() {
    const std::lock_guard lock(mutex_);
    positions_.push_back(kNowhere);
    return positions_.size() - 1;
  }
  // The member comes to a number, later than those before, with an item. Returns what is complete now.
  std::vector<Batch> bring(size_t member, int64_t number, Item item) {
    const std::lock_guard lock(mutex_);
    waiting_[number].push_back(std::move(item));
    positions_[member] = number;
    return complete();
  }
  // The same without an item.
  std::vector<Batch> pass(size_t member, int64_t number) {
    const std::lock_guard lock(mutex_);
    positions_[member] = number;
    return complete();
  }
  // The member has no more items, so that nobody waits for it. It may bring others after all.
  std::vector<Batch> leave(size_t member) { return pass(member, kLeft); }
  // The items of a number that have come; nothing if they have been taken.
  std::optional<Batch> take(int64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(number);
    if (found == waiting_.end()) return std::nullopt;
    std::optional<Batch> batch = std::move(found->second);
    waiting_.erase(found);
    return batch;
  }

 private:
  static constexpr int64_t kNowhere = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kLeft = std::numeric_limits<int64_t>::max();

  // Needs: the lock.
  std::vector<Batch> complete() {
    const int64_t slowest = *std::ranges::min_element(positions_);
    std::vector<Batch> batches;
    while (!waiting_.empty() && waiting_.begin()->first <= slowest) {
      batches.push_back(std::move(waiting_.begin()->second));
      waiting_.erase(waiting_.begin());
    }
    return batches;
  }

  std::mutex mutex_;
  std::vector<int64_t> positions_;  // to which each member has come
  std::map<int64_t, Batch> waiting_;
};

// Whether work that takes long is to end early.

// Handed down to whoever waits or loops. Copies ask the same; the default never stops. Any thread may ask, if
// what it asks allows that.
class StopToken {
 public:
  StopToken() = default;
  explicit StopToken(std::function<bool()> asks) : asks_(std::move(asks)) {}

  // Whether work is to end now; once true, it stays true.
  bool is_requested() const { return asks_ && asks_(); }
  // Whether it ever may be: who cannot be stopped need not wake up to ask.
  bool is_possible() const { return asks_ != nullptr; }

 private:
  std::function<bool()> asks_;
};

// Scratch memory for calls that may come from several threads at once.

// Lends workspaces. The pool grows to the peak number in use and never shrinks. May be used from any thread.
template <typename T>
class WorkspacePool {
 public:
  // A workspace, returned to the pool by the destructor; the pool outlives it. The previous borrower's
  // content is still there.
  class Loan {
   public:
    Loan(Loan&& other) noexcept : pool_(other.pool_), workspace_(std::move(other.workspace_)) {}
    ~Loan() {
      if (workspace_) pool_->give_back(std::move(workspace_));
    }
    T& operator*() const { return *workspace_; }
    T* operator->() const { return workspace_.get(); }

   private:
    friend class WorkspacePool;
    Loan(WorkspacePool* pool, std::unique_ptr<T> workspace) : pool_(pool), workspace_(std::move(workspace)) {}

    WorkspacePool* const pool_;
    std::unique_ptr<T> workspace_;  // null: moved from
  };

  // `make` may be called by several threads at once.
  explicit WorkspacePool(std::function<std::unique_ptr<T>()> make) : make_(std::move(make)) {}

  // Throws what `make` throws.
  Loan take() {
    if (std::unique_ptr<T> free = take_free()) return Loan(this, std::move(free));
    std::unique_ptr<T> made = make_();
    const std::lock_guard lock(mutex_);
    // Returning a workspace must not fail, so memory for all is reserved up front.
    free_.reserve(made_ + 1);
    ++made_;
    return Loan(this, std::move(made));
  }

 private:
  std::unique_ptr<T> take_free() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return nullptr;
    std::unique_ptr<T> last = std::move(free_.back());
    free_.pop_back();
    return last;
  }
  void give_back(std::unique_ptr<T> workspace) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(workspace));
  }

  const std::function<std::unique_ptr<T>()> make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
  size_t made_ = 0;
};

}  // namespace vq
