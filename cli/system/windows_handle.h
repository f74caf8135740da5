// Handles of Windows, for the sources of that system.
#pragma once

#include <windows.h>

#include <cerrno>
#include <memory>
#include <system_error>

namespace vq::cli {

struct HandleCloser {
  void operator()(void* handle) const { CloseHandle(handle); }
};
using Handle = std::unique_ptr<void, HandleCloser>;

// Null for what CreateFileW() returns if it fails.
inline Handle owned(HANDLE handle) { return Handle(handle == INVALID_HANDLE_VALUE ? nullptr : handle); }

// Failures of the system as errno.
inline int errno_of(DWORD error) {
  const std::error_condition meant =
      std::error_code(static_cast<int>(error), std::system_category()).default_error_condition();
  return meant.category() == std::generic_category() ? meant.value() : EIO;
}

}  // namespace vq::cli
