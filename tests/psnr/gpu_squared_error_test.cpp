// PSNR's stage on a device, which stands beside those of the CPU in tests of it.
#include "feature/psnr/psnr.h"
#include "tests/support/gpu_test.h"
#include "tests/support/implementations.h"

namespace vq::psnr {
namespace {

using namespace vq::test;

// The sums of several passes lie one behind the other; each must be the same.
uint64_t squared_error(const Samples& a, const Samples& b) {
  constexpr int kPasses = 3;
  const vulkan::DevicePlane first = to_device(a.view), second = to_device(b.view);
  const SquaredErrorPass pass(test_context(), {first, a.shift}, {second, b.shift});
  const vulkan::Buffer sums =
      recorded(kPasses * pass.sum_bytes(), [&](auto& recorder, const vulkan::Buffer& there) {
        for (int i = 0; i < kPasses; ++i) pass.record(recorder, there, i * pass.sum_bytes());
      });
  const uint64_t error = pass.squared_error(sums.mapped());
  for (int i = 1; i < kPasses; ++i)
    EXPECT_EQ(pass.squared_error(sums.mapped() + i * pass.sum_bytes()), error);
  return error;
}

const bool kIsAdded = add_implementation("vulkan", &squared_error);

TEST(PsnrGpuSquaredError, IsAmongTheImplementations) {
  ASSERT_TRUE(kIsAdded);
  EXPECT_EQ(all_implementations(&scalar::squared_error, simd::squared_error_for).back().name, "vulkan");
}

}  // namespace
}  // namespace vq::psnr
