#include "core/trace.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

namespace vq {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kMostSpans = 20'000'000;  // some gigabytes; a pair of frames has some twenty

struct Recorded {
  std::mutex mutex;  // held by its own thread, and by threads()
  TracedThread thread;
  int64_t timeline = 0;  // to which the spans belong
};

// Never destroyed: threads may end after everything that is destroyed with the process.
struct Recording {
  std::mutex mutex;
  std::vector<std::shared_ptr<Recorded>> threads;  // that had a span in this timeline
  std::atomic<int64_t> timeline = 0, spans = 0, lost = 0;
  std::atomic<Clock::rep> start = 0;
};

Recording& recording() {
  static auto* const only = new Recording;
  return *only;
}

using Own = std::shared_ptr<Recorded>;

pthread_key_t own_key() {
  static const pthread_key_t kKey = [] {
    pthread_key_t key;
    if (pthread_key_create(&key, [](void* own) { delete static_cast<Own*>(own); }) != 0)
      throw std::bad_alloc();
    return key;
  }();
  return kKey;
}

// A thread_local object would end the process if there is no memory to note that it is to be destroyed.
const Own& own() {
  if (const void* const known = pthread_getspecific(own_key())) return *static_cast<const Own*>(known);
  auto made = std::make_unique<Own>(std::make_shared<Recorded>());
  if (pthread_setspecific(own_key(), made.get()) != 0) throw std::bad_alloc();
  return *made.release();
}

void add_own(TracedSpan span) {
  Recording& all = recording();
  Recorded& its = *own();
  bool is_new = false;
  {
    const std::lock_guard lock(its.mutex);
    is_new = std::exchange(its.timeline, all.timeline.load()) != all.timeline.load();
    if (is_new) its.thread.spans.clear();
    its.thread.spans.push_back(std::move(span));
  }
  if (!is_new) return;
  const std::lock_guard lock(all.mutex);
  all.threads.push_back(own());
}

constexpr size_t kLongestName = 15;
#ifdef __APPLE__
void tell_system(const char* name) { pthread_setname_np(name); }
#else
void tell_system(const char* name) { pthread_setname_np(pthread_self(), name); }
#endif

}  // namespace

namespace trace_internal {

std::atomic<bool> is_on = false;

int64_t now_ns() {
  const Clock::duration since(Clock::now().time_since_epoch().count() - recording().start.load());
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

void add(std::string_view name, int64_t frame, int64_t begin_ns) noexcept {
  const int64_t end_ns = now_ns();
  Recording& all = recording();
  if (all.spans.fetch_add(1) >= kMostSpans) return;
  try {
    add_own({std::string(name), frame, begin_ns, end_ns});
  } catch (const std::bad_alloc&) {
    ++all.lost;
  }
}

}  // namespace trace_internal

Timeline::Timeline() {
  Recording& all = recording();
  {
    const std::lock_guard lock(all.mutex);
    all.threads.clear();
  }
  ++all.timeline;
  all.spans = 0;
  all.lost = 0;
  all.start = Clock::now().time_since_epoch().count();
  trace_internal::is_on = true;
}

Timeline::~Timeline() { trace_internal::is_on = false; }

std::vector<TracedThread> Timeline::threads() const {
  Recording& all = recording();
  const std::lock_guard lock(all.mutex);
  std::vector<TracedThread> threads;
  for (const auto& recorded : all.threads) {
    const std::lock_guard its_lock(recorded->mutex);
    threads.push_back(recorded->thread);
  }
  return threads;
}

int64_t Timeline::dropped() const {
  return std::max<int64_t>(0, recording().spans - kMostSpans) + recording().lost;
}

void name_thread(std::string_view name, std::string_view of_what) noexcept {
  try {
    std::string whole(name);
    whole += of_what;
    tell_system(whole.substr(0, kLongestName).c_str());
    const std::lock_guard lock(own()->mutex);
    own()->thread.name = std::move(whole);
  } catch (const std::bad_alloc&) {  // see the header
  }
}

}  // namespace vq
