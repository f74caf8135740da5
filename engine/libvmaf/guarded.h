// The border to the caller: no exception passes it, and scores are computed as everywhere.
#pragma once

#include <cerrno>
#include <exception>
#include <new>

#include "core/exact_floats.h"
#include "engine/libvmaf/log.h"

namespace vq::libvmaf {

// What the function returns, or a negative errno where it throws.
template <typename Function>
int guarded(Function function) noexcept {
  try {
    const ExactFloats exact;
    return function();
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

}  // namespace vq::libvmaf
