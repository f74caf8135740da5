// The floating-point environment in which every machine computes the same bits.
#pragma once

#include <cfenv>

// These let the compiler compute something else than what is written; builds have them off, and
// -ffp-contract=off on.
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "scores are exact: build without -ffast-math, -Ofast and -ffinite-math-only"
#endif
#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2)
#error \
    "scores are exact: float and double must not be computed in more bits than they have (x86: -mfpmath=sse)"
#endif

namespace vq {

// While one lives, this thread rounds to nearest, and numbers below the normal ones are as good as others:
// the caller may have chosen otherwise, and so may a library that it loaded. Afterwards it is as before.
// Threads that are started meanwhile begin with the same.
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
