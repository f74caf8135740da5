// Makes allocations fail: operator new of the test program, which the libraries that it loads use as well.
#pragma once

#include <limits>

namespace vq::test {

inline constexpr long kNever = std::numeric_limits<long>::max();

// Allocations fail whose number, counted from 0 and from this call on, is at least `first` and below `end`.
void refuse_memory(long first, long end = kNever);
inline void allow_memory() {
  refuse_memory(kNever);
}
// Number of allocations since refuse_memory().
long allocations();
// Number of blocks that are allocated and not freed.
long blocks_in_use();
// What this thread allocates is the test's own: it does not count and does not fail.
void exempt_this_thread(bool is_exempt);

}  // namespace vq::test
