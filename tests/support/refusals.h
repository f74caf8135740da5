// Makes allocations fail, by the test program's operator new, which the libraries that it loads use as well;
// and the start of threads, with glibc.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <limits>

namespace vq::test {

inline constexpr long kNever = std::numeric_limits<long>::max();

// Allocations fail whose number, counted from 0 and from this call on, is at least `first` and below `end`.
// Returns how many there were since the last call of either.
long refuse_memory(long first, long end = kNever);
inline long allow_memory() { return refuse_memory(kNever); }
// Number of blocks that are allocated and not freed.
long blocks_in_use();
// What this thread allocates is the test's own: it does not count and does not fail.
void exempt_this_thread(bool is_exempt);

#ifdef __GLIBC__
// While it lives: there is no room for a stack like that.
class RefusedThreads {
 public:
  RefusedThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge = before_;
    pthread_attr_setstacksize(&huge, size_t{1} << 50);
    pthread_setattr_default_np(&huge);
  }
  ~RefusedThreads() { pthread_setattr_default_np(&before_); }
  RefusedThreads& operator=(RefusedThreads&&) = delete;

 private:
  pthread_attr_t before_;
};
#endif

}  // namespace vq::test
