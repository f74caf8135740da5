// The fingerprint's stage on a device, which stands beside those of the CPU in tests of it.
#include "feature/fingerprint/fingerprint.h"
#include "tests/support/gpu_test.h"
#include "tests/support/implementations.h"

namespace vq::fingerprint::gpu {
namespace {

using namespace vq::test;

// The sums of several passes lie one behind the other; each must be the same.
template <typename T>
LaneSums sums_on_device(PlaneView<const T> samples, int number) {
  constexpr int kPasses = 3;
  const vulkan::DevicePlane plane = to_device<T>(samples, test_device());
  const PlaneSumsPass pass(test_context(), plane, number);
  const vulkan::Buffer sums =
      recorded(kPasses * pass.sum_bytes(), [&](auto& recorder, const vulkan::Buffer& there) {
        for (int i = 0; i < kPasses; ++i) pass.record(recorder, there, i * pass.sum_bytes());
      });
  const LaneSums first = pass.plane_sums(sums.mapped());
  for (int i = 1; i < kPasses; ++i) EXPECT_EQ(pass.plane_sums(sums.mapped() + i * pass.sum_bytes()), first);
  return first;
}

LaneSums plane_sums(const SampleView& view, int plane) {
  return view.is_u8() ? sums_on_device<uint8_t>(view.u8, plane) : sums_on_device<uint16_t>(view.u16, plane);
}

const bool kIsAdded = [] {
  added_implementations<PlaneSums>().push_back({"vulkan", plane_sums});
  return true;
}();

TEST(FingerprintGpuPlaneSums, AreAmongTheImplementations) {
  ASSERT_TRUE(kIsAdded);
  EXPECT_EQ(all_implementations(PlaneSums{scalar::plane_sums}, simd::plane_sums_for).back().name, "vulkan");
}

}  // namespace
}  // namespace vq::fingerprint::gpu
