#include "feature/simd_targets.h"

#include <hwy/highway.h>

namespace vq {
namespace {

struct Entry {
  SimdTarget target;
  uint32_t needs;  // CpuMaskBits
};

// Best first. What has no vector unit of its own that Highway knows (EMU128) is ordinary C++ that the
// compiler vectorises for the baseline, which on x86-64 has SSE2.
constexpr uint32_t kSse2 = kMaskSse2, kSsse3 = kSse2 | kMaskSsse3, kSse4 = kSsse3 | kMaskSse41,
                   kAvx2 = kSse4 | kMaskAvx2, kAvx512 = kAvx2 | kMaskAvx512;
constexpr Entry kEntries[] = {
    {{HWY_AVX3_DL, "avx512icl"}, kAvx512 | kMaskAvx512Icl},
    {{HWY_AVX3, "avx512"}, kAvx512},
    {{HWY_AVX2, "avx2"}, kAvx2},
    {{HWY_SSE4, "sse4"}, kSse4},
    {{HWY_SSSE3, "ssse3"}, kSsse3},
    {{HWY_SVE2_128, "sve2"}, kMaskNeon},
    {{HWY_SVE_256, "sve256"}, kMaskNeon},
    {{HWY_SVE2, "sve2"}, kMaskNeon},
    {{HWY_SVE, "sve"}, kMaskNeon},
    {{HWY_NEON, "neon"}, kMaskNeon},
    {{HWY_PPC8, "power8"}, kMaskSse2},
    {{HWY_WASM_EMU256, "wasm256"}, kMaskSse2},
    {{HWY_WASM, "wasm"}, kMaskSse2},
    {{HWY_RVV, "rvv"}, kMaskSse2},
    {{HWY_EMU128, "baseline"}, kMaskSse2},
};

}  // namespace

std::vector<SimdTarget> allowed_simd_targets(uint32_t cpumask) {
  const int64_t runs_here = hwy::SupportedTargets() | HWY_STATIC_TARGET;
  std::vector<SimdTarget> targets;
  for (const Entry& entry : kEntries) {
    const bool present = (entry.target.id & HWY_TARGETS & runs_here) != 0;
    if (present && (entry.needs & cpumask) == 0) targets.push_back(entry.target);
  }
  return targets;
}

}  // namespace vq
