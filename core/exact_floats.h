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

#if defined(__MINGW32__) && defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace vq {

// What fegetenv() and fesetenv() leave out. Remembers it as it was when the object was made.
#if defined(__MINGW32__) && defined(__SSE2__)
// Those of MinGW-w64 leave the control word of SSE, by which all but its own functions compute.
class VectorFloats {
 public:
  void set_exact() { _mm_setcsr(0x1F80); }
  void restore() { _mm_setcsr(before_); }

 private:
  unsigned before_ = _mm_getcsr();
};
#else
class VectorFloats {
 public:
  void set_exact() {}
  void restore() {}
};
#endif

// While an object lives, this thread rounds to nearest and keeps denormal numbers, whatever the caller or a
// library it loaded had chosen. The destructor restores the previous state. Threads started in between
// inherit the state.
class ExactFloats {
 public:
  ExactFloats() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
    vectors_.set_exact();
  }
  ~ExactFloats() {
    std::fesetenv(&before_);
    vectors_.restore();
  }
  ExactFloats(const ExactFloats&) = delete;
  ExactFloats& operator=(const ExactFloats&) = delete;

 private:
  std::fenv_t before_;
  [[no_unique_address]] VectorFloats vectors_;
};

}  // namespace vq
