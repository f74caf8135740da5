#include "core/plane.h"

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace vq {

#ifdef __linux__
// For the whole pages of that size in there.
static void advise(void* memory, size_t bytes, size_t page, int advice) {
  const auto address = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t first = round_up(address, page), end = (address + bytes) / page * page;
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, advice);
}
#endif

void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#ifdef __linux__
  advise(memory, bytes, kLargePage, MADV_HUGEPAGE);
#endif
}

// Linux before 5.14 refuses the second advice, and provides pages when they are touched.
void populate([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#ifdef __linux__
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, which older C libraries do not name
  prefer_large_pages(memory, bytes);
  advise(memory, bytes, static_cast<size_t>(sysconf(_SC_PAGESIZE)), kPopulateWrite);
#endif
}

}  // namespace vq
