// The fingerprint's stage on a device, which stands beside those of the CPU in tests of it.
#include "feature/fingerprint/fingerprint.h"
#include "tests/support/gpu_test.h"
#include "tests/support/implementations.h"

namespace vq::fingerprint::gpu {
namespace {

using namespace vq::test;

// The sums of several passes lie one behind the other; each must be the same.
LaneSums plane_sums(const SampleView& view, int number) {
  constexpr int kPasses = 3;
  const vulkan::DevicePlane plane = to_device(view);
  const PlaneSumsPass pass(test_context(), plane, number);
  const vulkan::Buffer sums =
      recorded(kPasses * pass.sum_bytes(), [&](auto& recorder, const vulkan::Buffer& there) {
        for (int i = 0; i < kPasses; ++i) pass.record(recorder, there, i * pass.sum_bytes());
      });
  const LaneSums first = pass.plane_sums(sums.mapped());
  for (int i = 1; i < kPasses; ++i) EXPECT_EQ(pass.plane_sums(sums.mapped() + i * pass.sum_bytes()), first);
  return first;
}
[[maybe_unused]] const bool kIsAdded = add_implementation("device", &plane_sums);

}  // namespace
}  // namespace vq::fingerprint::gpu
