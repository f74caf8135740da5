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

// What fegetenv() and fesetenv() leave out.
#if defined(__MINGW32__) && defined(__SSE2__)
// Those of MinGW-w64 leave the control word of SSE, by which all but its own functions compute.
inline constexpr unsigned kExactVectors = 0x1F80;
inline unsigned vector_floats() {
  return _mm_getcsr();
}
inline void set_vector_floats(unsigned word) {
  _mm_setcsr(word);
}
#else
inline constexpr unsigned kExactVectors = 0;
inline unsigned vector_floats() {
  return 0;
}
inline void set_vector_floats(unsigned) {}
#endif

// While an object lives, this thread rounds to nearest and keeps denormal numbers, whatever the caller or a
// library it loaded had chosen. The destructor restores the previous state. Threads started in between
// inherit the state.
class ExactFloats {
 public:
  ExactFloats() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
    set_vector_floats(kExactVectors);
  }
  ~ExactFloats() {
    std::fesetenv(&before_);
    set_vector_floats(vectors_before_);
  }
  ExactFloats(const ExactFloats&) = delete;
  ExactFloats& operator=(const ExactFloats&) = delete;

 private:
  std::fenv_t before_;
  const unsigned vectors_before_ = vector_floats();
};

}  // namespace vq
