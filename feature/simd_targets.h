// The instruction sets that SIMD stages are compiled for, and the choice among those that the CPU supports
// and the user allows.
#pragma once

#include <hwy/targets.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace vq {

struct Execution;

// One instruction set. `id` is Highway's; `name` is Highway's in lower case, with avx512 for its avx3:
// "avx2", "sve2_128".
struct SimdTarget {
  int64_t id = 0;
  std::string name;
};

// Bits of --cpumask: a set bit excludes an instruction set and all that build on it. The numbers are those of
// the vmaf tool, which has no bit for SVE. On architectures other than x86 and Arm bit 0 excludes all SIMD
// and the other bits have no effect.
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

// The targets this CPU supports and the mask allows, best first; may be empty. No vector is longer than
// kRowGuardBytes.
std::vector<SimdTarget> allowed_simd_targets(uint32_t cpumask);

// The target of a feature's stages on the host: none for the scalar backend, or if the mask excludes all.
std::optional<SimdTarget> host_target(const Execution& execution);

// Its name, or "scalar".
std::string host_simd(const Execution& execution);

// The implementation of a stage for host_target(), or `scalar` if there is none.
template <typename Stage>
Stage host_stage(const Execution& execution, Stage scalar, Stage (*simd_for)(int64_t target)) {
  const std::optional<SimdTarget> target = host_target(execution);
  return target ? simd_for(target->id) : scalar;
}

// The entry of an HWY_EXPORT table for the target with this id, or the best weaker one if the stage is not
// compiled for it.
template <typename Function, size_t size>
HWY_INLINE Function for_target(Function const (&table)[size], int64_t target) {
  if constexpr (size == 1) {
    return table[0];  // built for a single instruction set
  } else {
    hwy::ChosenTarget chosen;
    // Allows the target and all weaker ones: in Highway these have higher bits.
    chosen.Update(-target);
    return table[chosen.GetIndex()];
  }
}

}  // namespace vq

// A macro of one argument, applied to each of those that follow it.
#define VQ_FOR_EACH(macro, ...) __VA_OPT__(VQ_EXPAND(VQ_EACH(macro, __VA_ARGS__)))
#define VQ_EACH(macro, first, ...) macro(first) __VA_OPT__(VQ_EACH_AGAIN VQ_NOTHING(macro, __VA_ARGS__))
#define VQ_EACH_AGAIN() VQ_EACH
#define VQ_NOTHING ()
#define VQ_EXPAND(...) VQ_EXPAND_4(VQ_EXPAND_4(VQ_EXPAND_4(VQ_EXPAND_4(__VA_ARGS__))))
#define VQ_EXPAND_4(...) VQ_EXPAND_1(VQ_EXPAND_1(VQ_EXPAND_1(VQ_EXPAND_1(__VA_ARGS__))))
#define VQ_EXPAND_1(...) __VA_ARGS__

// Declares the struct Stages of a metric, whose members are the stages with these names. Each is declared in
// namespace scalar, with its contract: there it is readable, in ordinary C++. A Stages object is one
// implementation of all stages: scalar::kStages is the plain one, simd::stages_for(target) the one for a
// target (the id of one of allowed_simd_targets()), and Stages::of(execution) the one for host_target().
#define VQ_STAGES(...)                                                                          \
  struct Stages {                                                                               \
    VQ_FOR_EACH(VQ_STAGE_MEMBER, __VA_ARGS__)                                                   \
    static Stages of(const Execution& execution);                                               \
  };                                                                                            \
  namespace scalar {                                                                            \
  inline constexpr Stages kStages{};                                                            \
  }                                                                                             \
  namespace simd {                                                                              \
  VQ_FOR_EACH(VQ_STAGE_DECLARATION, __VA_ARGS__)                                                \
  inline Stages stages_for(int64_t target) { return {VQ_FOR_EACH(VQ_STAGE_FOR, __VA_ARGS__)}; } \
  }                                                                                             \
  inline Stages Stages::of(const Execution& execution) {                                        \
    return host_stage(execution, scalar::kStages, simd::stages_for);                            \
  }                                                                                             \
  struct Stages
#define VQ_STAGE_MEMBER(stage) std::decay_t<decltype(scalar::stage)> stage = scalar::stage;
#define VQ_STAGE_DECLARATION(stage) std::decay_t<decltype(scalar::stage)> stage##_for(int64_t target);
#define VQ_STAGE_FOR(stage) stage##_for(target),

// Defines simd::<stage>_for(target) of each stage in a source; HWY_SCALAR has the plain ones. It stands
// behind them, under #if HWY_ONCE.
#define VQ_DISPATCH(space, ...)               \
  namespace space {                           \
  namespace N_SCALAR {                        \
  using namespace scalar;                     \
  }                                           \
  VQ_FOR_EACH(VQ_DISPATCH_STAGE, __VA_ARGS__) \
  }
#define VQ_DISPATCH_STAGE(stage)                                     \
  HWY_EXPORT(stage);                                                 \
  decltype(simd::stage##_for(0)) simd::stage##_for(int64_t target) { \
    return for_target(HWY_DISPATCH_TABLE(stage), target);            \
  }
