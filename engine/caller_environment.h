// What a library that others load must not let its callers' threads change, nor change on them.
#pragma once

#include <cfenv>

namespace vq {

// While it lives, the thread computes in the default floating-point environment (rounding to nearest, subnormal
// numbers kept, no traps); then it has its own back, without what was raised meanwhile. Threads that are started
// inherit the default one.
class CallerEnvironment {
 public:
  CallerEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~CallerEnvironment() { std::fesetenv(&saved_); }
  CallerEnvironment(const CallerEnvironment&) = delete;
  CallerEnvironment& operator=(const CallerEnvironment&) = delete;

 private:
  std::fenv_t saved_ = {};
};

}  // namespace vq
