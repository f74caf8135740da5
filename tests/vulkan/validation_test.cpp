// The validation layer, which has nothing to say about what features do (see Gate), is seen to be listening.
#include "feature/cambi/device.h"
#include "shaders/vulkan_canary_store.h"
#include "tests/cambi/extractor_case.h"
#include "tests/support/gpu_test.h"

namespace vq::cambi::test {
namespace {

using vulkan::Memory;
using vulkan::Validation;

TEST(VulkanCanary, AWriteOutOfBoundsIsReported) {
  const auto device = vulkan::Device::open(test_options(Validation::kGpuAssisted));
  const vulkan::Pipeline pipeline(device, shaders::kVulkanCanaryStore, {});
  const vulkan::Buffer in(device, Memory::kDevice, 64), out(device, Memory::kDevice, 64);
  vulkan::Recorder recorder(device);
  recorder.pass(pipeline, {&in, &out}).run(uint32_t{16}, {});
  run(recorder);
  EXPECT_THAT(device->take_messages(), Contains(HasSubstr("out of bounds")));
}

TEST(VulkanCanary, AMissingBarrierIsReported) {
  const auto device = vulkan::Device::open(test_options(Validation::kSynchronization));
  const vulkan::Pipeline pipeline(device, shaders::kVulkanCanaryStore, {});
  const vulkan::Buffer a(device, Memory::kDevice, 64), b(device, Memory::kDevice, 64),
      c(device, Memory::kDevice, 64);
  vulkan::Recorder recorder(device, 0);
  recorder.pass(pipeline, {&a, &b}).run(uint32_t{0}, {});
  recorder.pass(pipeline, {&b, &c}).run(uint32_t{0}, {});
  run(recorder);
  EXPECT_THAT(device->take_messages(), Contains(HasSubstr("SYNC-HAZARD-READ-AFTER-WRITE")));
}

TEST(VulkanCanary, AnInvalidCallIsReported) {
  const auto device = vulkan::Device::open(test_options(Validation::kCore));
  const vulkan::Buffer a(device, Memory::kDevice, 64), b(device, Memory::kDevice, 64);
  vulkan::Recorder recorder(device);
  const vulkan::Copy past_the_end{.from = &a, .to = &b, .to_offset = 32, .bytes = 64};
  recorder.copy(std::span(&past_the_end, 1));
  const vulkan::CommandList list = recorder.finish();
  EXPECT_THAT(device->take_messages(), Not(IsEmpty()));
}

// `record` makes the same recording each time, but for the barrier it is to leave out, and returns its
// barriers. The layer takes atomic operations for reads, so that it cannot see the need of the last
// `after_atomics` barriers.
void expect_every_barrier_needed(vulkan::Device& device, const std::function<int(int)>& record,
                                 int after_atomics = 0) {
  const int barriers = record(-1);
  EXPECT_THAT(device.take_messages(), IsEmpty());
  EXPECT_GT(barriers, 0);
  for (int i = 0; i < barriers - after_atomics; ++i) {
    record(i);
    EXPECT_THAT(device.take_messages(), Not(IsEmpty())) << "barrier " << i;
  }
}

VideoFormat small_format() {
  return make_format("a", {300, 220}, 10);
}

CambiPlan small_plan() {
  return make_plans({}, {.distorted = small_format(), .reference = {}}).distorted;
}

TEST(VulkanCanary, EveryBarrierOfAFrameIsNeeded) {
  const auto device = vulkan::Device::open(test_options(Validation::kSynchronization));
  vulkan::Context context(device);
  const CambiPlan plan = small_plan();
  vulkan::DevicePicture luma(device, small_format(), 1);
  gpu::Picture picture(context, plan);
  const gpu::Readback readback(device, picture);
  expect_every_barrier_needed(*device, [&](int leave_out) {
    vulkan::Recorder recorder(device, leave_out);
    luma.record(recorder);
    picture.record(recorder, luma.plane(0));
    readback.record(recorder);
    return recorder.finish().barriers();
  });
}

TEST(VulkanCanary, EveryBarrierOfAFrameScoredOnTheDeviceIsNeeded) {
  const auto device = vulkan::Device::open(test_options(Validation::kSynchronization));
  vulkan::Context context(device);
  const CambiPlan plan = small_plan();
  vulkan::DevicePicture luma(device, small_format(), 1);
  gpu::ScoredPicture picture(context, plan, true);
  const auto record = [&](int leave_out) {
    vulkan::Recorder recorder(device, leave_out);
    luma.record(recorder);
    picture.record(recorder, luma.plane(0));
    return recorder.finish().barriers();
  };
  // Between the passes of pooling, and before its sums are copied, all writes are atomic.
  expect_every_barrier_needed(*device, record, gpu::kPoolDigits + 1);
}

}  // namespace
}  // namespace vq::cambi::test
