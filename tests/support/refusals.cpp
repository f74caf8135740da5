#include "tests/support/refusals.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace vq::test {
namespace {

std::atomic<long> requests = 0, blocks = 0, first_refused = kNever, end_of_refused = kNever;
thread_local bool is_exempted = false;

void* allocate(size_t size) {
  if (!is_exempted) {
    const long number = requests++;
    if (number >= first_refused && number < end_of_refused) return nullptr;
  }
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory != nullptr) ++blocks;
  return memory;
}

void release(void* memory) {
  if (memory != nullptr) --blocks;
  std::free(memory);
}

}  // namespace

void refuse_memory(long first, long end) {
  first_refused = kNever;
  requests = 0;
  end_of_refused = end;
  first_refused = first;
}

long allocations() { return requests; }

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
