// The reduction of planes on the device against the scalar stages float_row, scale_row and filter_row, to the
// last bit.
#include "feature/speed/speed.h"
#include "shaders/speed_quotient.h"
#include "tests/support/gpu_test.h"

namespace vq::speed::gpu {
namespace {

using namespace vq::test;
using vulkan::Memory;

SpeedPlan plan_of(PlaneSize size, const SpeedOptions& options) {
  SpeedPlan plan;
  plan.options = options;
  plan.plane = make_plane_plan(options, size);
  return plan;
}

template <typename T>
struct Deep {
  const TestPlane<T>& plane;
  int depth;
};

// What the pass keeps of a plane, or of its difference from another; it has to be what the scalar stages
// keep.
template <typename T, typename U = uint8_t>
void expect_scalar(const SpeedPlan& plan, const Deep<T>& of, const Deep<U>* subtracted = nullptr) {
  const PlanePlan& sizes = plan.plane;
  Workspace workspace(sizes);
  const Stages stages = scalar::kStages;
  const auto rows = [&](int y, float* out) {
    scalar::float_row(of.plane.view(), y, sizes.source.width, of.depth, out);
    if (subtracted == nullptr) return;
    float* const less = workspace.after.row(0);
    scalar::float_row(subtracted->plane.view(), y, sizes.source.width, subtracted->depth, less);
    for (int x = 0; x < sizes.source.width; ++x) out[x] -= less[x];
  };
  PlaneReader(stages, plan).reduce(rows, workspace);

  ReduceInput input{.plane = {of.plane.on_device, of.depth}};
  if (subtracted != nullptr)
    input.subtracted.emplace(Operand{subtracted->plane.on_device, subtracted->depth});
  const ReducePass pass(test_context(), sizes, input);
  const vulkan::Buffer out = recorded(reduced_bytes(sizes), [&](auto& recorder, const vulkan::Buffer& there) {
    pass.record(recorder, there);
  });
  const PlaneView<const float> kept = reduced_plane(sizes, reinterpret_cast<const float*>(out.mapped()));
  ASSERT_EQ(kept.height, workspace.reduced.height());
  for (int y = 0; y < kept.height; ++y) {
    for (int x = 0; x < kept.width; ++x) {
      ASSERT_EQ(kept.row(y)[x], workspace.reduced.row(y)[x])
          << x << ", " << y << " of " << sizes.source.width << "x" << sizes.source.height << " to "
          << sizes.scaled.width << "x" << sizes.scaled.height << ", method " << static_cast<int>(sizes.method)
          << ", depth " << of.depth;
    }
  }
}

template <typename T>
TestPlane<T> noise(PlaneSize size, int depth, unsigned seed) {
  std::minstd_rand random(seed);
  return TestPlane<T>(size.width, size.height, seed,
                      [&](int, int) { return random() >> 7 & ((1U << depth) - 1); });
}

// Around the samples of a work group.
TEST(SpeedGpuReduce, EqualsScalarWhateverTheSize) {
  for (const PlaneSize size :
       {PlaneSize{32, 20}, {80, 80}, {95, 81}, {223, 37}, {224, 36}, {239, 33}, {240, 31}, {451, 23}}) {
    const TestPlane<uint8_t> plane =
        noise<uint8_t>({size.width + 1, size.height + 1}, 8, 3);  // more than is looked at
    expect_scalar<uint8_t>(plan_of(size, {}), {plane, 8});
  }
}

TEST(SpeedGpuReduce, EqualsScalarWhateverTheDepth) {
  for (int depth = 9; depth <= 16; ++depth) {
    const TestPlane<uint16_t> plane = noise<uint16_t>({90, 85}, depth, static_cast<unsigned>(depth));
    expect_scalar<uint16_t>(plan_of({90, 85}, {}), {plane, depth});
  }
}

// The longest filter reaches beyond the last column and row, or does not.
TEST(SpeedGpuReduce, EqualsScalarWhateverTheFilter) {
  const TestPlane<uint16_t> plane = noise<uint16_t>({131, 99}, 10, 5);
  for (const PlaneSize size : {PlaneSize{131, 99}, {129, 99}, {128, 99}, {131, 97}, {131, 96}}) {
    for (const double scale : {0.5, 1.5, 2.0, 2.4, 360.0 / 97})
      expect_scalar<uint16_t>(plan_of(size, {.kernel_scale = scale}), {plane, 10});
  }
}

TEST(SpeedGpuReduce, EqualsScalarWhereverPlanesAreScaled) {
  const PlaneSize size{121, 97};
  const TestPlane<uint8_t> bytes = noise<uint8_t>(size, 8, 7);
  const TestPlane<uint16_t> words = noise<uint16_t>(size, 12, 8);
  for (const std::string_view method : kMethods) {
    for (const double prescale : {0.5, 0.6, 1.37}) {
      const SpeedPlan plan = plan_of(size, {.prescale = prescale, .method = method});
      expect_scalar<uint8_t>(plan, {bytes, 8});
      expect_scalar<uint16_t>(plan, {words, 12});
    }
  }
}

TEST(SpeedGpuReduce, EqualsScalarForDifferencesOfPlanes) {
  const PlaneSize size{100, 83};
  const TestPlane<uint8_t> a = noise<uint8_t>(size, 8, 9), b = noise<uint8_t>(size, 8, 10);
  const TestPlane<uint16_t> c = noise<uint16_t>(size, 10, 11);
  const Deep<uint8_t> first{a, 8}, second{b, 8};
  const Deep<uint16_t> deeper{c, 10};
  for (const double prescale : {1.0, 0.7}) {
    const SpeedPlan plan = plan_of(size, {.prescale = prescale, .method = "bilinear"});
    expect_scalar(plan, first, &second);
    expect_scalar(plan, first, &deeper);
    expect_scalar(plan, deeper, &first);
  }
}

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
