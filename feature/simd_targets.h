// The instruction sets that SIMD stages are compiled for, which of them this CPU runs, and which of those the
// user allows.
#pragma once

#include <hwy/targets.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vq {

struct Execution;

// One instruction set. `id` is Highway's; `name` is Highway's in lower case with avx512 for its avx3, such as
// "avx2" or "sve2_128".
struct SimdTarget {
  int64_t id = 0;
  std::string name;
};

// Bits of --cpumask: a set bit forbids an instruction set and all that build on it. The numbers are those of
// the vmaf tool, which has no bit for SVE. Other architectures heed bit 0 alone, for all of SIMD.
enum CpuMaskBit : uint32_t {
  kMaskSse2 = 1U << 0,
  kMaskSsse3 = 1U << 1,
  kMaskSse41 = 1U << 2,
  kMaskAvx2 = 1U << 3,
  kMaskAvx512 = 1U << 4,
  kMaskAvx512Icl = 1U << 5,
  kMaskNeon = 1U << 0,
  kMaskSve = 1U << 1,
};

// The targets this CPU can run and the mask allows, best first; empty where the mask forbids them all.
// Vectors of none of them are longer than kRowGuardBytes.
std::vector<SimdTarget> allowed_simd_targets(uint32_t cpumask);

// The one that a feature's stages on the host take: none for the scalar backend, or where the mask forbids
// them all.
std::optional<SimdTarget> host_target(const Execution& execution);

// Its name; "scalar" where there is none.
std::string host_simd(const Execution& execution);

// The implementation of a stage for host_target(), or `scalar` where there is none.
template <typename Stage>
Stage host_stage(const Execution& execution, Stage scalar, Stage (*simd_for)(int64_t target)) {
  const std::optional<SimdTarget> target = host_target(execution);
  return target ? simd_for(target->id) : scalar;
}

// The entry of a table made by HWY_EXPORT for the target with this id.
template <typename Function, size_t size>
Function for_target(Function const (&table)[size], int64_t target) {
  if constexpr (size == 1) {
    return table[0];  // a build for one instruction set
  } else {
    hwy::ChosenTarget chosen;
    chosen.Update(target);
    return table[chosen.GetIndex()];
  }
}

}  // namespace vq
