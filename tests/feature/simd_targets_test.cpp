#include "feature/simd_targets.h"
#include "tests/support/test.h"

#include <hwy/targets.h>

namespace vq {
namespace {

std::vector<std::string> names(uint32_t cpumask) {
  std::vector<std::string> list;
  for (const SimdTarget& target : allowed_simd_targets(cpumask)) list.push_back(target.name);
  return list;
}

template <typename Predicate>
std::vector<std::string> without(std::vector<std::string> list, Predicate is_gone) {
  std::erase_if(list, is_gone);
  return list;
}

TEST(SimdTargets, ThisCpuHasOneAtLeast) { EXPECT_THAT(names(0), Not(IsEmpty())); }

TEST(SimdTargets, BestFirst) {
  const std::vector<SimdTarget> targets = allowed_simd_targets(0);
  for (size_t i = 1; i < targets.size(); ++i) EXPECT_LT(targets[i - 1].id, targets[i].id);
}

TEST(SimdTargets, BitZeroForbidsAll) {
  EXPECT_THAT(names(1), IsEmpty());
  EXPECT_THAT(names(~0U), IsEmpty());
}

TEST(SimdTargets, BitsOfOtherInstructionSetsForbidNothing) { EXPECT_EQ(names(~uint32_t{0x3F}), names(0)); }

TEST(SimdTargets, ABitForbidsItsInstructionSetAndWhatBuildsOnIt) {
  const std::vector<std::string> all = names(0);
#if HWY_ARCH_X86
  const auto is_avx512 = [](const std::string& name) { return name.starts_with("avx512"); };
  const auto is_avx = [](const std::string& name) { return name.starts_with("avx"); };
  EXPECT_EQ(names(kMaskAvx512), without(all, is_avx512));
  EXPECT_EQ(names(kMaskAvx2), without(all, is_avx));
  const auto is_sse4_or_avx = [&](const std::string& name) { return name == "sse4" || is_avx(name); };
  EXPECT_EQ(names(kMaskSse41), without(all, is_sse4_or_avx));
  const bool has_ssse3 = (HWY_TARGETS & HWY_SSSE3) != 0;  // a build may leave it out
  EXPECT_EQ(std::ranges::count(names(kMaskSse41), "ssse3"), has_ssse3 ? 1 : 0);
#elif HWY_ARCH_ARM
  const auto is_sve = [](const std::string& name) { return name.starts_with("sve"); };
  EXPECT_EQ(names(kMaskSve), without(all, is_sve));
  EXPECT_THAT(names(kMaskSve), Not(IsEmpty()));
#endif
}

}  // namespace
}  // namespace vq
