// SSIM's shrinking on a device, which stands beside that of the CPU in tests of stages.
#include "feature/ssim/ssim.h"
#include "tests/support/gpu_test.h"
#include "tests/support/implementations.h"

namespace vq::ssim::gpu {
namespace {

using namespace vq::test;

// What is not shrunk is left to the host.
void shrink(const Luma& luma, int factor, Scratch& scratch, PlaneView<float> out) {
  if (factor == 1) return scalar::shrink(luma, factor, scratch, out);
  const vulkan::DevicePlane plane = to_device(luma.view);
  const ShrinkPass pass(test_context(), plane, luma.bit_depth, factor);
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

[[maybe_unused]] const bool kIsAdded =
    add_implementation("device", Stages{shrink, scalar::halve, scalar::compare});

}  // namespace
}  // namespace vq::ssim::gpu
