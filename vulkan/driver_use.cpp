#include "vulkan/driver_use.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>
#include <thread>

#include "vulkan/recorder_impl.h"

namespace vq::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

// A driver that does not return must not keep the process alive. It takes seconds to open some devices.
constexpr std::chrono::seconds kMostPatience{5};
// Processes end sooner, unless they wait for one of their threads.
constexpr std::chrono::seconds kGrace{1};
constexpr std::chrono::microseconds kPause{100};

// Process-wide, as exit() is.
struct Gate {
  std::atomic<int> threads = 0;  // in drivers
  std::atomic<bool> is_closed = false;
  std::atomic<Clock::duration> closed_at = Clock::duration::zero();
  std::atomic<bool> is_forked = false;  // devices are the parent's
};

Gate& gate() {
  static constinit Gate the_gate;
  return the_gate;
}

struct ThisThread {
  int uses = 0;
  bool ends_the_process = false;
};

ThisThread& this_thread() {
  static constinit thread_local ThisThread state;
  return state;
}

void wait_for_the_end() {
  const Clock::time_point end(gate().closed_at.load() + kGrace);
  if (!this_thread().ends_the_process) std::this_thread::sleep_until(end);
}

bool enter_gate() {
  ThisThread& own = this_thread();
  if (own.uses > 0 && !own.ends_the_process) {
    ++own.uses;
    return true;
  }
  if (!gate().is_closed) {
    own.uses = 1;  // first: a signal's handler may call exit()
    ++gate().threads;
    if (!gate().is_closed) return true;
    --gate().threads;
    own.uses = 0;
  }
  wait_for_the_end();
  return false;
}

// May run several times, and in several threads.
void close_gate() {
  ThisThread& own = this_thread();
  if (own.ends_the_process) return;
  Clock::duration never = Clock::duration::zero();
  gate().closed_at.compare_exchange_strong(never, Clock::now().time_since_epoch());
  gate().is_closed = true;
  const Clock::time_point end(gate().closed_at.load() + kMostPatience);
  const int others_left = own.uses > 0 ? 1 : 0;  // this thread is called back by us and does not return
  while (gate().threads > others_left && Clock::now() < end) std::this_thread::sleep_for(kPause);
  if (!gate().is_forked) {
    ++own.uses;
    wait_for_submitted(end);
    --own.uses;
  }
  own.ends_the_process = true;
}

// The parent's other threads are not there.
void count_after_fork() {
  gate().threads = this_thread().uses > 0 ? 1 : 0;
  gate().is_forked = true;
}

}  // namespace

DriverUse::DriverUse() noexcept : may_call_(enter_gate()) {}

DriverUse::~DriverUse() {
  if (may_call_ && --this_thread().uses == 0) --gate().threads;
}

void end_driver_use_at_exit() noexcept {
  static const int tracks_forks = pthread_atfork(nullptr, nullptr, count_after_fork);
  (void)tracks_forks;
  std::atexit(close_gate);
}

void abandon(const void* object) noexcept {
  struct Abandoned {
    const void* object;
    Abandoned* next;
  };
  static constinit std::atomic<Abandoned*> last = nullptr;
  auto* const added = new (std::nothrow) Abandoned{object, nullptr};
  if (added != nullptr) added->next = last.exchange(added);
}

}  // namespace vq::vulkan
