#include "cli/decoding/allocation_watch.h"

#include <dlfcn.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define VQ_FOREIGN_ALLOCATOR
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VQ_FOREIGN_ALLOCATOR
#endif

namespace {

std::atomic<bool> failed = false;

}  // namespace

namespace vq::cli {

bool allocation_has_failed() {
  return failed;
}

}  // namespace vq::cli

#ifndef VQ_FOREIGN_ALLOCATOR

// The program's definitions come before the C library's, for libraries too. FFmpeg allocates with these two
// where the system has them.

extern "C" int posix_memalign(void** memory, size_t alignment, size_t size) noexcept {
  using Function = int (*)(void**, size_t, size_t);
  static const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "posix_memalign"));
  const int error = next(memory, alignment, size);
  if (error != 0) failed = true;
  return error;
}

extern "C" void* realloc(void* memory, size_t size) noexcept {
  using Function = void* (*)(void*, size_t);
  static const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "realloc"));
  void* const larger = next(memory, size);
  if (larger == nullptr && size > 0) failed = true;
  return larger;
}

#endif
