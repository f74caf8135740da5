// The passes on the device, as an implementation for error_sum_test.cpp, and what they share.
#include "feature/psnr_hvs/psnr_hvs.h"
#include "shaders/psnr_hvs/shared.h"
#include "shaders/psnr_hvs_root.h"
#include "tests/support/gpu_test.h"
#include "tests/support/implementations.h"

namespace vq::psnr_hvs::gpu {
namespace {

using namespace vq::test;

static_assert(int64_t{420} * 420 > int64_t{kMostChunks} * kChunkBlocks, "the large picture has two slices");

float error_sum(const Samples& a, const Samples& b, const Weights& weights, Bands&) {
  const vulkan::DevicePlane there_a = to_device(a.view), there_b = to_device(b.view);
  std::vector<ErrorSumPass> passes;
  passes.emplace_back(test_context(), Operand{there_a, a.shift}, Operand{there_b, b.shift}, weights);
  vulkan::Recorder recorder(test_device());
  record(recorder, passes);
  run(recorder);
  return passes[0].error_sum();
}
[[maybe_unused]] const bool kIsAdded = add_implementation("device", &error_sum);

TEST(PsnrHvsGpuErrorSum, SeveralPlanesAndFramesDoNotDisturbEachOther) {
  const DecodedPlane a = noise_plane({320, 180}, 8, 1), b = noise_plane({320, 180}, 8, 2),
                     c = noise_plane({160, 90}, 8, 3), d = noise_plane({160, 90}, 8, 4);
  const vulkan::DevicePlane there[] = {to_device(a.view()), to_device(b.view()), to_device(c.view()),
                                       to_device(d.view())};
  std::vector<ErrorSumPass> passes;
  passes.emplace_back(test_context(), Operand{there[0]}, Operand{there[1]}, weights_of(0));
  passes.emplace_back(test_context(), Operand{there[2]}, Operand{there[3]}, weights_of(1));
  vulkan::Recorder recorder(test_device());
  record(recorder, passes);
  vulkan::CommandList list = recorder.finish();
  Bands bands(320);
  for (int frame = 0; frame < 2; ++frame) {
    list.submit();
    list.wait(kTestTimeout);
    EXPECT_EQ(passes[0].error_sum(), scalar::error_sum({a.view()}, {b.view()}, weights_of(0), bands));
    EXPECT_EQ(passes[1].error_sum(), scalar::error_sum({c.view()}, {d.view()}, weights_of(1), bands));
  }
}

TEST(PsnrHvsGpuRoot, IsRoundedCorrectly) {
  std::vector<float> numbers = {0,        1,    2, 3, 4, 0.25F, 0.1F, std::numeric_limits<float>::min(),
                                16777215, 1e38F};
  std::minstd_rand random(1);
  std::uniform_real_distribution<float> significands(1, 2);
  // Squares of floats and what lies beside them, where one unit decides.
  while (numbers.size() < size_t{64} * 1000) {
    const float number = std::ldexp(significands(random), static_cast<int>(random() % 100) - 50);
    numbers.insert(numbers.end(), {number, number * number, std::nextafter(number * number, 0.0F),
                                   std::nextafter(number * number, INFINITY)});
  }
  numbers.resize(size_t{64} * 1000);
  const auto bytes = static_cast<int64_t>(numbers.size() * sizeof(float));
  const vulkan::Pipeline pipeline(test_device(), shaders::kPsnrHvsRoot, {});
  const vulkan::Buffer out = recorded(bytes, [&](auto& recorder, const vulkan::Buffer& there) {
    recorder.pass(pipeline, {&test_context().table(numbers), &there})
        .run(uint32_t{0}, {.x = vulkan::groups_for(static_cast<int64_t>(numbers.size()), 64)});
  });
  std::vector<float> roots(numbers.size());
  std::memcpy(roots.data(), out.mapped(), static_cast<size_t>(bytes));
  for (size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(roots[i], std::sqrt(numbers[i])) << numbers[i];
}

}  // namespace
}  // namespace vq::psnr_hvs::gpu
