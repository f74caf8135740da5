#include "tests/support/refusals.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

namespace vq::test {
namespace {

std::atomic<long> blocks = 0;
thread_local bool is_exempted = false;

// Together, so that no thread compares a number from before with limits that were set after it.
std::mutex of_requests;
long requests = 0, first_refused = kNever, end_of_refused = kNever;

// Counts the request.
bool is_refused() {
  if (is_exempted) return false;
  const std::lock_guard lock(of_requests);
  const long number = requests++;
  return number >= first_refused && number < end_of_refused;
}

void* allocate(size_t size) {
  if (is_refused()) return nullptr;
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory != nullptr) ++blocks;
  return memory;
}

void release(void* memory) {
  if (memory != nullptr) --blocks;
  std::free(memory);
}

}  // namespace

long refuse_memory(long first, long end) {
  const std::lock_guard lock(of_requests);
  first_refused = first;
  end_of_refused = end;
  return std::exchange(requests, 0);
}

long blocks_in_use() { return blocks; }

void exempt_this_thread(bool is_exempt) { is_exempted = is_exempt; }

}  // namespace vq::test

[[gnu::noinline]] void* operator new(size_t size) {
  void* const memory = vq::test::allocate(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return vq::test::allocate(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { vq::test::release(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { vq::test::release(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  vq::test::release(memory);
}
