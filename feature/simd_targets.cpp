#include "feature/simd_targets.h"

#define HWY_TARGET_INCLUDE "feature/simd_targets.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/plane.h"
#include "core/text.h"
#include "feature/feature.h"

HWY_BEFORE_NAMESPACE();
namespace vq::HWY_NAMESPACE {

size_t vector_bytes() { return hwy::HWY_NAMESPACE::Lanes(hwy::HWY_NAMESPACE::ScalableTag<uint8_t>()); }

}  // namespace vq::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vq {
namespace {

HWY_EXPORT(vector_bytes);

// Highway numbers better targets lower, whatever its version: a target needs what the first entry at or
// behind it names.
struct Need {
  int64_t target;
  uint32_t bits;  // CpuMaskBits
};
constexpr uint32_t kSse2 = kMaskSse2, kSsse3 = kSse2 | kMaskSsse3, kSse4 = kSsse3 | kMaskSse41,
                   kAvx2 = kSse4 | kMaskAvx2, kAvx512 = kAvx2 | kMaskAvx512;
constexpr Need kNeeds[] = {
    {HWY_AVX3_DL, kAvx512 | kMaskAvx512Icl},
    {HWY_AVX3, kAvx512},
    {HWY_AVX2, kAvx2},
    {HWY_SSE4, kSse4},
    {HWY_SSSE3, kSsse3},
    {int64_t{1} << HWY_HIGHEST_TARGET_BIT_X86, kSse2},
    {HWY_SVE, kMaskNeon | kMaskSve},
    {INT64_MAX, kMaskNeon},
};

bool is_allowed(int64_t target, uint32_t cpumask) {
  const Need* need = std::ranges::find_if(kNeeds, [&](const Need& entry) { return target <= entry.target; });
  return (need->bits & cpumask) == 0;
}

std::string name_of(int64_t target) {
  const std::string name = lower_case(hwy::TargetName(target));
  return name.starts_with("avx3") ? "avx512" + name.substr(4) : name;
}

// SVE allows vectors that would reach beyond the guards of a row; no CPU is known to have them.
bool fits_guards(int64_t target) {
  return for_target(HWY_DISPATCH_TABLE(vector_bytes), target)() <= kRowGuardBytes;
}

}  // namespace

std::vector<SimdTarget> allowed_simd_targets(uint32_t cpumask) {
  std::vector<SimdTarget> targets;
  // HWY_SCALAR is no instruction set: its stages are the scalar ones.
  int64_t rest = HWY_TARGETS & (hwy::SupportedTargets() | HWY_STATIC_TARGET) & ~HWY_SCALAR;
  for (; rest != 0; rest &= rest - 1) {
    const int64_t target = rest & -rest;
    if (is_allowed(target, cpumask) && fits_guards(target)) targets.push_back({target, name_of(target)});
  }
  return targets;
}

std::optional<SimdTarget> host_target(const Execution& execution) {
  if (execution.backend == Backend::kScalar) return std::nullopt;
  const std::vector<SimdTarget> targets = allowed_simd_targets(execution.cpumask);
  return targets.empty() ? std::nullopt : std::optional(targets.front());
}

std::string host_simd(const Execution& execution) {
  const std::optional<SimdTarget> target = host_target(execution);
  return target ? target->name : "scalar";
}

}  // namespace vq
#endif  // HWY_ONCE
