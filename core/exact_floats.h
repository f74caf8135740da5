// The floating-point environment in which every machine computes the same bits.
#pragma once

#include <cfenv>

// These options allow the compiler to change results. Builds turn them off and pass -ffp-contract=off.
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "scores are exact: build without -ffast-math, -Ofast and -ffinite-math-only"
#endif
#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2)
#error \
    "scores are exact: float and double must not be computed in more bits than they have (x86: -mfpmath=sse)"
#endif

namespace vq {

// While an object lives, this thread rounds to nearest and keeps denormal numbers, whatever the caller or a
// library it loaded had chosen. The destructor restores the previous state. Threads started in between
// inherit the state.
class ExactFloats {
 public:
  ExactFloats() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~ExactFloats() { std::fesetenv(&before_); }
  ExactFloats(const ExactFloats&) = delete;
  ExactFloats& operator=(const ExactFloats&) = delete;

 private:
  std::fenv_t before_;
};

}  // namespace vq
