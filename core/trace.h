// A timeline of what a run's threads do, to see what it waits for.
//
// Recording is process-wide, since what is measured lies in every layer: it is the one state here that is not
// handed down (ADR 0048). While no Timeline exists, a span costs one relaxed atomic load.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vq {

// Something that a thread did. Spans of one thread nest.
struct TracedSpan {
  std::string name;
  int64_t frame = -1;                // index; -1: of no frame in particular
  int64_t begin_ns = 0, end_ns = 0;  // since the timeline began
};

struct TracedThread {
  std::string name;
  std::vector<TracedSpan> spans;  // in the order in which they ended
};

// Records the spans of all threads from its construction to its destruction. One at a time.
class Timeline {
 public:
  Timeline();
  ~Timeline();
  Timeline& operator=(Timeline&&) = delete;

  // Threads that had a span so far, in the order of their first one. From any thread.
  std::vector<TracedThread> threads() const;
  // Number of spans that are missing because there were too many, or no memory for one.
  int64_t dropped() const;
};

// Names the calling thread by both texts, in timelines and for debuggers, which show the first 15 bytes.
// Without memory for it the thread stays nameless.
void name_thread(std::string_view name, std::string_view of_what = {}) noexcept;

namespace trace_internal {
extern std::atomic<bool> is_on;
int64_t now_ns();
// Never throws, since spans end in destructors.
void add(std::string_view name, int64_t frame, int64_t begin_ns) noexcept;
}  // namespace trace_internal

// Records the time to the end of the block.
class TraceSpan {
 public:
  // `name` outlives this.
  explicit TraceSpan(std::string_view name, int64_t frame = -1) : name_(name), frame_(frame) {
    if (trace_internal::is_on.load(std::memory_order_relaxed)) begin_ns_ = trace_internal::now_ns();
  }
  ~TraceSpan() {
    if (begin_ns_ >= 0) trace_internal::add(name_, frame_, begin_ns_);
  }
  TraceSpan& operator=(TraceSpan&&) = delete;

 private:
  const std::string_view name_;
  const int64_t frame_;
  int64_t begin_ns_ = -1;  // not recorded
};

}  // namespace vq
