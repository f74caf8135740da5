// A program of its own: prints HWY_DISABLED_TARGETS of builds for this machine, which have its best
// instruction set and that which the compiler may use anywhere. The first is for most sources, the second for
// those that are compiled for AVX3_DL as well.
#define HWY_WANT_AVX3_DL
#include <hwy/targets.h>

#include <cinttypes>
#include <cstdio>

int main() {
  const int64_t supported = hwy::SupportedTargets() & HWY_TARGETS;
  const auto others = [](int64_t targets) { return ~((targets & -targets) | HWY_STATIC_TARGET); };
  std::printf("%" PRId64 ";%" PRId64, others(supported & ~HWY_AVX3_DL), others(supported));
}
