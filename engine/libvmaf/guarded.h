// The border to the caller: no exception passes it, and scores are computed as everywhere.
#pragma once

#include <cerrno>
#include <cstring>
#include <exception>
#include <new>

#include "core/exact_floats.h"
#include "engine/libvmaf/log.h"

namespace vq::libvmaf {

// A value of an enumeration as its caller gave it, which may be none of it.
template <typename Enumeration>
int number_of(const Enumeration& value) {
  int number = 0;
  static_assert(sizeof number == sizeof value);
  std::memcpy(&number, &value, sizeof number);
  return number;
}

// A negative errno for the exception that is being handled, which is logged.
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

// What the function returns, or a negative errno if it throws.
template <typename Function>
int guarded(Function function) noexcept {
  try {
    const ExactFloats exact;
    return function();
  } catch (...) {
    return fault_of_exception();
  }
}

}  // namespace vq::libvmaf
