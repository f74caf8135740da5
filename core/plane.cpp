#include "core/plane.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace vq {

void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#ifdef __linux__
  const auto address = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t first = (address + kLargePage - 1) / kLargePage * kLargePage,
                  end = (address + bytes) / kLargePage * kLargePage;
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#endif
}

}  // namespace vq
