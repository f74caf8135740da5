// SSIM's shrinking on a device, which stands beside that of the CPU in tests of stages.
#include "feature/ssim/ssim.h"
#include "tests/support/gpu_test.h"
#include "tests/support/implementations.h"

namespace vq::ssim::gpu {
namespace {

using namespace vq::test;

template <typename T>
void shrink_on_device(PlaneView<const T> samples, int bit_depth, int factor, PlaneView<float> out) {
  const vulkan::DevicePlane luma = to_device<T>(samples, test_device());
  const ShrinkPass pass(test_context(), luma, bit_depth, factor);
  EXPECT_GE(pass.bytes_read(), int64_t{out.width} * out.height * static_cast<int64_t>(sizeof(float)));
  vulkan::Recorder recorder(test_device());
  pass.record(recorder);
  pass.record_readback(recorder);
  vulkan::CommandList list = recorder.finish();
  for (int frame = 0; frame < 2; ++frame) {
    list.submit();
    list.wait(kTestTimeout);
    for (int y = 0; y < out.height; ++y) std::copy_n(pass.shrunk_picture().row(y), out.width, out.row(y));
  }
}

// What is not shrunk is left to the host.
void shrink(const Luma& luma, int factor, Scratch& scratch, PlaneView<float> out) {
  if (factor == 1) return scalar::shrink(luma, factor, scratch, out);
  if (luma.view.is_u8()) return shrink_on_device<uint8_t>(luma.view.u8, luma.bit_depth, factor, out);
  shrink_on_device<uint16_t>(luma.view.u16, luma.bit_depth, factor, out);
}

const bool kIsAdded = [] {
  added_implementations<Stages>().push_back({"vulkan", {shrink, scalar::halve, scalar::compare}});
  return true;
}();

TEST(SsimGpuShrink, IsAmongTheImplementations) {
  ASSERT_TRUE(kIsAdded);
  EXPECT_EQ(all_implementations(scalar::kStages, simd::stages_for).back().name, "vulkan");
}

}  // namespace
}  // namespace vq::ssim::gpu
