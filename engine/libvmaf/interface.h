// The whole interface of the library: what include/libvmaf declares, and functions that programs call without
// a header; and what its functions have in common. Sources include this instead of the public headers.
#pragma once

#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>
#include <type_traits>

#include "core/elementary.h"

#pragma GCC visibility push(default)

#include "libvmaf/feature.h"
#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_cuda.h"
#include "libvmaf/model.h"
#include "libvmaf/picture.h"
#include "libvmaf/version.h"

extern "C" {

// A score that has been stored.
struct VmafMetadata {
  char* feature_name;
  unsigned picture_index;
  double score;
};

// The callback for scores of one name. It keeps the pointer to the name, not a copy.
struct VmafMetadataConfiguration {
  char* feature_name;
  void (*callback)(void* data, VmafMetadata* metadata);
  void* data;
};

// The callback must not call the library. Returns 0 or -EINVAL.
int vmaf_register_metadata_handler(VmafContext* vmaf, VmafMetadataConfiguration cfg);

}  // extern "C"

#pragma GCC visibility pop

namespace vq::libvmaf {

// Messages of the library on the standard error.

// The levels, with the numbers of VmafLogLevel.
enum class LogLevel { kNone, kError, kWarning, kInfo, kDebug };

// Sets the level for the whole process. Until then it is kInfo.
void set_log_level(LogLevel level);

// Writes a line "libvmaf ERROR text" in one piece, unless the process's level is lower than `level`. May be
// called from any thread, and allocates nothing.
void log(LogLevel level, std::string_view text) noexcept;

// The border to the caller: no exception passes it, and scores are computed as everywhere.

// The number of an enumeration's value that a caller gave. It may be none of the enumeration's.
template <typename Enumeration>
int number_of(const Enumeration& value) {
  int number = 0;
  static_assert(sizeof number == sizeof value);
  std::memcpy(&number, &value, sizeof number);
  return number;
}

// Logs the exception that is being handled, and returns a negative errno for it.
inline int fault_of_exception() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    log(LogLevel::kError, "there is not enough memory");
    return -ENOMEM;
  } catch (const std::exception& error) {
    log(LogLevel::kError, error.what());
  } catch (...) {
    log(LogLevel::kError, "an unknown exception");
  }
  return -EINVAL;
}

// Returns the function's result, 0 if it has none, or a negative errno if it throws.
template <typename Function>
int guarded(Function function) noexcept {
  try {
    const ExactFloats exact;
    if constexpr (std::is_void_v<decltype(function())>) {
      function();
      return 0;
    } else {
      return function();
    }
  } catch (...) {
    return fault_of_exception();
  }
}
// The same, or -EINVAL if the caller did not give all that is needed.
template <typename Function>
int guarded(bool has_all, Function function) noexcept {
  return has_all ? guarded(function) : -EINVAL;
}

}  // namespace vq::libvmaf
