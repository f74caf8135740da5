// The passes on the device against the stage's scalar version.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "feature/psnr_hvs/device.h"
#include "feature/psnr_hvs/psnr_hvs.h"
#include "shaders/psnr_hvs/shared.h"
#include "shaders/psnr_hvs_root.h"
#include "tests/support/gpu_test.h"

namespace vq::psnr_hvs::gpu {
namespace {

using namespace vq::test;

template <typename T>
struct Plane {
  TestPlane<T> plane;
  int shift = 0;
  Operand on_device() const { return {plane.on_device, shift}; }
  Samples samples() const { return {plane.view(), shift}; }
};

float on_device(const std::vector<ErrorSumPass>& passes, size_t i = 0) {
  vulkan::Recorder recorder(test_device());
  record(recorder, passes);
  run(recorder);
  return passes[i].error_sum();
}

template <typename A, typename B>
void expect_scalar(const Plane<A>& a, const Plane<B>& b, int component = 0) {
  const Weights weights = weights_of(component);
  Bands bands(a.plane.content.width);
  const float expected = scalar::error_sum(a.samples(), b.samples(), weights, bands);
  std::vector<ErrorSumPass> passes;
  passes.emplace_back(test_context(), a.on_device(), b.on_device(), weights);
  EXPECT_EQ(on_device(passes), expected)
      << a.plane.content.width << "x" << a.plane.content.height << ", component " << component;
}

template <typename T>
Plane<T> noise(int width, int height, int depth, int shift, unsigned seed) {
  std::minstd_rand random(seed);
  return {TestPlane<T>(width, height, seed, [&](int, int) { return random() >> 5 & ((1U << depth) - 1); }),
          shift};
}

// Detail of all sizes, with errors that grow with it.
template <typename T>
Plane<T> picture(int width, int height, int depth, unsigned seed, int most_error) {
  std::minstd_rand random(seed);
  const double peak = (1 << depth) - 1;
  return {TestPlane<T>(width, height, seed,
                       [&](int x, int y) {
                         const double wave =
                             std::sin(x * 0.02) * std::cos(y * 0.03) + std::sin(x * y * 0.001) / 3;
                         const int error =
                             most_error == 0 ? 0
                                             : static_cast<int>(random() % (2 * most_error + 1)) - most_error;
                         return static_cast<T>(std::clamp(peak * (0.5 + wave * 0.35) + error, 0.0, peak));
                       }),
          0};
}

TEST(PsnrHvsGpuErrorSum, EqualsScalarOfNoise) {
  for (const auto& [width, height] :
       {std::pair{8, 8}, {9, 8}, {14, 15}, {15, 15}, {16, 22}, {65, 40}, {201, 93}}) {
    for (const int component : {0, 1, 2}) {
      const auto seed = static_cast<unsigned>(width + component);
      expect_scalar(noise<uint8_t>(width, height, 8, 0, seed), noise<uint8_t>(width, height, 8, 0, seed + 1),
                    component);
    }
    expect_scalar(noise<uint16_t>(width, height, 10, 0, 1), noise<uint16_t>(width, height, 10, 0, 2));
    expect_scalar(noise<uint16_t>(width, height, 12, 0, 3), noise<uint8_t>(width, height, 8, 4, 4));
    expect_scalar(noise<uint8_t>(width, height, 8, 2, 5), noise<uint16_t>(width, height, 10, 0, 6));
    expect_scalar(noise<uint16_t>(width, height, 9, 3, 7), noise<uint16_t>(width, height, 12, 0, 8));
  }
}

// Where most is masked, and the sum runs through many powers of 2.
TEST(PsnrHvsGpuErrorSum, EqualsScalarOfPictures) {
  for (const int most_error : {1, 2, 5, 20}) {
    expect_scalar(picture<uint8_t>(640, 360, 8, 1, 0), picture<uint8_t>(640, 360, 8, 2, most_error));
    expect_scalar(picture<uint16_t>(333, 240, 10, 3, 0), picture<uint16_t>(333, 240, 10, 4, most_error), 1);
  }
}

TEST(PsnrHvsGpuErrorSum, EqualsScalarOfEqualAndFlatPictures) {
  const Plane<uint8_t> flat{TestPlane<uint8_t>(100, 60, 1, [](int, int) { return 128; }), 0};
  const Plane<uint8_t> black{TestPlane<uint8_t>(100, 60, 1, [](int, int) { return 0; }), 0};
  const Plane<uint8_t> detail = picture<uint8_t>(100, 60, 8, 1, 9);
  for (const auto* const a : {&flat, &black, &detail}) {
    for (const auto* const b : {&flat, &black, &detail}) expect_scalar(*a, *b);
  }
}

// The sum leaves 0 only in the last blocks, or at once and never grows again.
TEST(PsnrHvsGpuErrorSum, EqualsScalarOfSingleErrors) {
  const Plane<uint8_t> flat{TestPlane<uint8_t>(640, 360, 1, [](int, int) { return 100; }), 0};
  for (const auto& [x, y] : {std::pair{0, 0}, {636, 355}, {320, 180}}) {
    for (const int error : {1, 100}) {
      const Plane<uint8_t> other{TestPlane<uint8_t>(640, 360, 1,
                                                    [&, at_x = x, at_y = y](int i, int j) {
                                                      return i == at_x && j == at_y ? 100 + error : 100;
                                                    }),
                                 0};
      expect_scalar(flat, other);
    }
  }
}

// Terms that lie exactly between two multiples of the sum's unit: differences in the mean alone, of equal
// size.
TEST(PsnrHvsGpuErrorSum, RoundsTiesToEven) {
  for (int step = 1; step <= 40; ++step) {
    const Plane<uint8_t> flat{TestPlane<uint8_t>(400, 120, 1, [](int, int) { return 100; }), 0};
    const Plane<uint8_t> other{
        TestPlane<uint8_t>(400, 120, 1, [&](int x, int) { return 100 + (x > 300 ? 1 : step); }), 0};
    expect_scalar(flat, other);
  }
}

// More than one slice, of which the last is not full.
TEST(PsnrHvsGpuErrorSum, EqualsScalarOfSlices) {
  const int side = 7 * 420 + 1;
  ASSERT_GT(int64_t{420} * 420, int64_t{kMostChunks} * kChunkBlocks);
  const auto level = [](int x, int y) { return (x * 7 + y * 13 + x * y / 50) % 256; };
  const Plane<uint8_t> a{TestPlane<uint8_t>(side, side, 1, level), 0};
  const Plane<uint8_t> b{TestPlane<uint8_t>(side, side, 1, [&](int x, int y) { return level(x, y) / 4 * 4; }),
                         0};
  expect_scalar(a, b);
}

TEST(PsnrHvsGpuErrorSum, SeveralPlanesAndFramesDoNotDisturbEachOther) {
  const Plane<uint8_t> a = picture<uint8_t>(320, 180, 8, 1, 4), b = picture<uint8_t>(320, 180, 8, 2, 4),
                       c = picture<uint8_t>(160, 90, 8, 3, 9), d = picture<uint8_t>(160, 90, 8, 4, 9);
  std::vector<ErrorSumPass> passes;
  passes.emplace_back(test_context(), a.on_device(), b.on_device(), weights_of(0));
  passes.emplace_back(test_context(), c.on_device(), d.on_device(), weights_of(1));
  vulkan::Recorder recorder(test_device());
  record(recorder, passes);
  vulkan::CommandList list = recorder.finish();
  Bands bands(320);
  for (int frame = 0; frame < 2; ++frame) {
    list.submit();
    list.wait(kTestTimeout);
    EXPECT_EQ(passes[0].error_sum(), scalar::error_sum(a.samples(), b.samples(), weights_of(0), bands));
    EXPECT_EQ(passes[1].error_sum(), scalar::error_sum(c.samples(), d.samples(), weights_of(1), bands));
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
