/* The functions that scores are computed by, as glibc has them: the last bits of MinGW-w64's are others.
   glibc's exp, log, log2 and pow are Arm's, and so are musl's, of which .ci/libraries.sh compiles two kinds.
   Like glibc, this takes those with fused products where the processor has them. */
#include <float.h>
#include <math.h>

static int fuses(void) {
  return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
}

#define OF_ONE(name)                                    \
  double name##_fused(double), name##_plain(double);    \
  double name(double x) {                               \
    return fuses() ? name##_fused(x) : name##_plain(x); \
  }
OF_ONE(exp)
OF_ONE(log)
OF_ONE(log2)

double pow_fused(double, double), pow_plain(double, double);
double pow(double x, double y) {
  return fuses() ? pow_fused(x, y) : pow_plain(x, y);
}

/* x is a power of two times a rest from 1/2 to 2, which is below 1 where x is. The power counts with
   log10(2), whose upper part has few digits, so that their product is exact. */
double log10(double x) {
  static const double upper = 0x1.34413509f6p-2, lower = 0x1.9fef311f12b36p-42;
  if (!(x > 0 && x <= DBL_MAX)) return log(x);
  int power;
  double rest = frexp(x, &power);
  if (power > 0) {
    rest *= 2;
    --power;
  }
  return power * lower + M_LOG10E * log(rest) + power * upper;
}
