// PSNR's stage on a device, which stands beside those of the CPU in tests of it.
#include "feature/psnr/psnr.h"
#include "tests/support/gpu_test.h"
#include "tests/support/implementations.h"

namespace vq::psnr {
namespace {

using namespace vq::test;

// The sums of several passes lie one behind the other; each must be the same.
uint64_t squared_error(const Samples& a, const Samples& b) {
  const vulkan::DevicePlane first = to_device(a.view), second = to_device(b.view);
  vulkan::Results sums;
  std::vector<SquaredErrorPass> passes;
  for (int i = 0; i < 3; ++i)
    passes.emplace_back(test_context(), Operand{first, a.shift}, Operand{second, b.shift}, sums);
  run(sums, passes);
  for (const SquaredErrorPass& pass : passes) EXPECT_EQ(pass.squared_error(), passes.front().squared_error());
  return passes.front().squared_error();
}

const bool kIsAdded = add_implementation("vulkan", &squared_error);

TEST(PsnrGpuSquaredError, IsAmongTheImplementations) {
  ASSERT_TRUE(kIsAdded);
  EXPECT_EQ(all_implementations(&scalar::squared_error, simd::squared_error_for).back().name, "vulkan");
}

}  // namespace
}  // namespace vq::psnr
