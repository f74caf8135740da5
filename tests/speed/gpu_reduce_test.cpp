// Quotients of floats on the device, which the reduction of planes needs. The gate has the rest of it.
#include "feature/speed/speed.h"
#include "shaders/speed_quotient.h"
#include "tests/support/gpu_test.h"

namespace vq::speed::gpu {
namespace {

using namespace vq::test;
using vulkan::Memory;

std::vector<float> quotients_on_device(const std::vector<float>& a, const std::vector<float>& b) {
  const int64_t bytes = static_cast<int64_t>(a.size() * sizeof(float));
  const vulkan::Pipeline pipeline(test_device(), shaders::kSpeedQuotient, {});
  const vulkan::Buffer out = recorded(bytes, [&](auto& recorder, const vulkan::Buffer& there) {
    recorder.pass(pipeline, {&test_context().table(a), &test_context().table(b), &there})
        .run(uint32_t{0}, {.x = vulkan::groups_for(static_cast<int64_t>(a.size()), 64)});
  });
  std::vector<float> quotients(a.size());
  std::memcpy(quotients.data(), out.mapped(), static_cast<size_t>(bytes));
  return quotients;
}

TEST(SpeedGpuQuotient, IsRoundedCorrectly) {
  std::vector<float> a = {0, 1, 1, -1, 2, 16777215, 16777215, 8388609, 3, 1, -0.1F},
                     b = {3, 1, 3, 3, -3, 16777214, 8388609, 16777215, 1, 16777215, 0.7F};
  std::minstd_rand random(1);
  std::uniform_real_distribution<float> significands(1, 2);
  while (a.size() < size_t{64} * 2000) {
    a.push_back(std::ldexp(significands(random), static_cast<int>(random() % 60) - 30));
    b.push_back(std::ldexp(significands(random), static_cast<int>(random() % 60) - 30) *
                (random() % 2 == 0 ? 1.0F : -1.0F));
  }
  // Near 1 from both sides, where one significand has to be doubled or not.
  while (a.size() < size_t{64} * 3000) {
    a.push_back(significands(random));
    b.push_back(std::nextafter(a.back(), random() % 2 == 0 ? 1.0F : 2.0F));
  }
  const std::vector<float> quotients = quotients_on_device(a, b);
  for (size_t i = 0; i < a.size(); ++i) ASSERT_EQ(quotients[i], a[i] / b[i]) << a[i] << " / " << b[i];
}

TEST(SpeedGpuQuotient, WhatIsSubnormalCountsAsZero) {
  constexpr float kLeast = std::numeric_limits<float>::min();
  EXPECT_THAT(
      quotients_on_device({kLeast, kLeast * 3, kLeast / 2, kLeast, -kLeast * 3, 1e-30F, -1e-30F, 1e-38F},
                          {1, 3, 0.25F, 2, 5, 1e30F, 1e30F, 1e38F}),
      ElementsAre(kLeast, kLeast, 0, 0, 0, 0, 0, 0));
}

}  // namespace
}  // namespace vq::speed::gpu
