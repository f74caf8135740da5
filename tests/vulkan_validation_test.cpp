// The validation layer has nothing to say about what is done here, and it is seen to be listening.
#include "feature/cambi_hybrid.h"
#include "feature/cambi_readback.h"
#include "shaders/canary_store.h"
#include "tests/extractor_test.h"
#include "tests/gpu_test.h"

namespace vq::cambi::test {
namespace {

using vulkan::Memory;
using vulkan::Validation;

constexpr vulkan::Shader kStore{"canary_store", kCanaryStoreSpirv};

std::string to_string(Validation validation) {
  switch (validation) {
    case Validation::kOff:
      return "Off";
    case Validation::kCore:
      return "Core";
    case Validation::kSynchronization:
      return "Synchronization";
    case Validation::kGpuAssisted:
      return "GpuAssisted";
  }
  return "";
}

class VulkanValidation : public ::testing::TestWithParam<Validation> {};

void score_some(const std::shared_ptr<vulkan::Device>& device, const CambiOptions& options, int depth) {
  const Size size{417, 235};
  InputFormats formats;
  formats.distorted = make_format("dist", size, depth);
  WorkerPool pool(2);
  const auto extractor = make_hybrid_extractor_on(device, options, formats, {Backend::kHybrid, &pool});
  std::vector<FramePair> frames(8);
  for (size_t i = 0; i < frames.size(); ++i) {
    frames[i].index = static_cast<int64_t>(i);
    frames[i].distorted = make_frame(all_patterns()[i], size, depth, frames[i].index);
  }
  Scores scores;
  score_all(*extractor, frames, scores);
  EXPECT_EQ(scores.all.size(), frames.size());
}

TEST_P(VulkanValidation, HasNothingToSayAboutTheHybrid) {
  const auto device = vulkan::Device::open(test_options(GetParam()));
  score_some(device, {}, 8);
  CambiOptions options;
  options.enc_width = 300;
  options.enc_height = 200;
  options.enc_bitdepth = 8;
  options.full_ref = true;
  score_some(device, options, 10);
  score_some(device, {}, 16);
  EXPECT_THAT(device->take_messages(), ::testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Passes, VulkanValidation,
                         ::testing::Values(Validation::kCore, Validation::kSynchronization,
                                           Validation::kGpuAssisted),
                         [](const auto& test) { return to_string(test.param); });

TEST(VulkanCanary, AWriteOutOfBoundsIsReported) {
  const auto device = vulkan::Device::open(test_options(Validation::kGpuAssisted));
  const vulkan::Pipeline pipeline(device, kStore, {});
  const vulkan::Buffer in(device, Memory::kDevice, 64), out(device, Memory::kDevice, 64);
  vulkan::Recorder recorder(device);
  recorder.pass(pipeline, {&in, &out}).run(uint32_t{16}, {});
  run(recorder);
  EXPECT_THAT(device->take_messages(), ::testing::Contains(::testing::HasSubstr("out of bounds")));
}

TEST(VulkanCanary, AMissingBarrierIsReported) {
  const auto device = vulkan::Device::open(test_options(Validation::kSynchronization));
  const vulkan::Pipeline pipeline(device, kStore, {});
  const vulkan::Buffer a(device, Memory::kDevice, 64), b(device, Memory::kDevice, 64),
      c(device, Memory::kDevice, 64);
  vulkan::Recorder recorder(device, 0);
  recorder.pass(pipeline, {&a, &b}).run(uint32_t{0}, {});
  recorder.pass(pipeline, {&b, &c}).run(uint32_t{0}, {});
  run(recorder);
  EXPECT_THAT(device->take_messages(),
              ::testing::Contains(::testing::HasSubstr("SYNC-HAZARD-READ-AFTER-WRITE")));
}

TEST(VulkanCanary, AnInvalidCallIsReported) {
  const auto device = vulkan::Device::open(test_options(Validation::kCore));
  const vulkan::Buffer a(device, Memory::kDevice, 64), b(device, Memory::kDevice, 64);
  vulkan::Recorder recorder(device);
  const vulkan::Copy past_the_end{.from = &a, .to = &b, .to_offset = 32, .bytes = 64};
  recorder.copy(std::span(&past_the_end, 1));
  const vulkan::CommandList list = recorder.finish();
  EXPECT_THAT(device->take_messages(), ::testing::Not(::testing::IsEmpty()));
}

TEST(VulkanCanary, EveryBarrierOfAFrameIsNeeded) {
  const auto device = vulkan::Device::open(test_options(Validation::kSynchronization));
  gpu::Kernels kernels(device);
  const CambiPlan plan =
      make_plans({}, {.distorted = make_format("a", {300, 220}, 10), .reference = {}}).distorted;
  gpu::Picture picture(kernels, plan);
  const gpu::Readback readback(device, picture);
  const auto record = [&](int leave_out) {
    vulkan::Recorder recorder(device, leave_out);
    picture.record(recorder);
    readback.record(recorder);
    return recorder.finish().barriers();
  };
  const int barriers = record(-1);
  EXPECT_THAT(device->take_messages(), ::testing::IsEmpty());
  EXPECT_GT(barriers, 0);
  for (int i = 0; i < barriers; ++i) {
    record(i);
    EXPECT_THAT(device->take_messages(), ::testing::Not(::testing::IsEmpty())) << "barrier " << i;
  }
}

}  // namespace
}  // namespace vq::cambi::test
