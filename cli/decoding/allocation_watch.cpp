#include "cli/decoding/allocation_watch.h"

#include <dlfcn.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define VQ_FOREIGN_ALLOCATOR
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VQ_FOREIGN_ALLOCATOR
#endif

namespace {

std::atomic<uint64_t> failed = 0;

#ifndef VQ_FOREIGN_ALLOCATOR

// Drivers probe for memory, and fail. FFmpeg's own libraries are known by their names, and the program itself
// may have them in it. Called for allocations that failed only.
bool is_of_ffmpeg(const void* caller) {
  Dl_info library = {}, program = {};
  if (dladdr(caller, &library) == 0 || library.dli_fname == nullptr) return true;
  if (dladdr(static_cast<const void*>(&failed), &program) != 0 && program.dli_fbase == library.dli_fbase)
    return true;
  const std::string_view path = library.dli_fname;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("libav") || name.starts_with("libsw");
}

#endif

}  // namespace

namespace vq::cli {

uint64_t AllocationWatch::failures() {
  return failed;
}

}  // namespace vq::cli

#ifndef VQ_FOREIGN_ALLOCATOR

namespace {

using Memalign = int (*)(void**, size_t, size_t);
using Realloc = void* (*)(void*, size_t);

Memalign next_memalign() {
  static const auto function = reinterpret_cast<Memalign>(dlsym(RTLD_NEXT, "posix_memalign"));
  return function;
}

Realloc next_realloc() {
  static const auto function = reinterpret_cast<Realloc>(dlsym(RTLD_NEXT, "realloc"));
  return function;
}

// Before main(): dlerror() calls realloc() itself, and a dlsym() would free the error that it is working on.
[[maybe_unused]] const bool kAreFound = next_memalign() != nullptr && next_realloc() != nullptr;

}  // namespace

// The program's definitions come before the C library's, for libraries too. FFmpeg allocates with these two
// where the system has them.

extern "C" __attribute__((visibility("default"))) int posix_memalign(void** memory, size_t alignment,
                                                                     size_t size) noexcept {
  const int error = next_memalign()(memory, alignment, size);
  if (error != 0 && is_of_ffmpeg(__builtin_return_address(0))) ++failed;
  return error;
}

extern "C" __attribute__((visibility("default"))) void* realloc(void* memory, size_t size) noexcept {
  void* const larger = next_realloc()(memory, size);
  if (larger == nullptr && size > 0 && is_of_ffmpeg(__builtin_return_address(0))) ++failed;
  return larger;
}

#endif
