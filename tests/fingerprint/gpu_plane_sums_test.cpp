// The fingerprint's stage on a device, which stands beside those of the CPU in tests of it.
#include "feature/fingerprint/fingerprint.h"
#include "tests/support/gpu_test.h"
#include "tests/support/implementations.h"

namespace vq::fingerprint::gpu {
namespace {

using namespace vq::test;

// The sums of several passes lie one behind the other; each must be the same.
LaneSums plane_sums(const SampleView& view, int number) {
  const vulkan::DevicePlane plane = to_device(view);
  vulkan::Results sums;
  std::vector<PlaneSumsPass> passes;
  for (int i = 0; i < 3; ++i) passes.emplace_back(test_context(), plane, number, sums);
  run(sums, passes);
  for (const PlaneSumsPass& pass : passes) EXPECT_EQ(pass.plane_sums(), passes.front().plane_sums());
  return passes.front().plane_sums();
}
[[maybe_unused]] const bool kIsAdded = add_implementation("device", &plane_sums);

}  // namespace
}  // namespace vq::fingerprint::gpu
