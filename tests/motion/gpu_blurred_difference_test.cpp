// The pass on the device against the stage's scalar version.
#include "feature/motion/device.h"
#include "feature/motion/motion.h"
#include "tests/support/gpu_test.h"

namespace vq::motion::gpu {
namespace {

using namespace vq::test;

struct Found {
  uint64_t difference = 0;
  bool has_excess = false;
};

template <typename T>
Found on_device(const TestPlane<T>& before, const TestPlane<T>& now, int bit_depth) {
  const BlurredDifferencePass pass(test_context(), {before.on_device, now.on_device, bit_depth});
  const vulkan::Buffer sums = recorded(
      pass.sum_bytes(), [&](auto& recorder, const vulkan::Buffer& there) { pass.record(recorder, there); });
  return {pass.difference(sums.mapped()), pass.has_excess(sums.mapped())};
}

template <typename T>
uint64_t by_scalar(const TestPlane<T>& before, const TestPlane<T>& now, int bit_depth) {
  Rows rows(now.content.width);
  return scalar::blurred_difference({before.view(), now.view(), bit_depth}, rows);
}

// Noise from `low` to the depth's maximum; the rows below are none of the plane.
template <typename T>
TestPlane<T> noise_plane(PlaneSize size, int bit_depth, unsigned low, unsigned seed) {
  std::minstd_rand random(seed);
  const unsigned levels = (1U << bit_depth) - low;
  TestPlane<T> plane(size.width, size.height + 2, seed,
                     [&](int, int) { return low + (random() >> 8) % levels; });
  plane.content.height = plane.on_device.layout.height = size.height;
  return plane;
}

template <typename T>
void expect_scalar(PlaneSize size, int bit_depth, unsigned low, unsigned seed) {
  SCOPED_TRACE(std::to_string(size.width) + "x" + std::to_string(size.height) + ", " +
               std::to_string(bit_depth) + " bits from " + std::to_string(low));
  const TestPlane<T> before = noise_plane<T>(size, bit_depth, low, seed),
                     now = noise_plane<T>(size, bit_depth, low, seed + 7);
  const Found found = on_device(before, now, bit_depth);
  EXPECT_EQ(found.difference, by_scalar(before, now, bit_depth));
  EXPECT_FALSE(found.has_excess);
}

// As in tests/motion/blurred_difference_test.cpp, which says how these come about.
TEST(MotionGpuBlurredDifference, RoundsHalvesUpOnBothSidesOfZero) {
  const TestPlane<uint8_t> black(5, 5, 1, [](int, int) { return 0; });
  const TestPlane<uint8_t> dot(5, 5, 2, [](int x, int y) { return x == 2 && y == 2 ? 32 : 0; });
  EXPECT_EQ(on_device(dot, black, 8).difference, 10076U);
  EXPECT_EQ(on_device(black, dot, 8).difference, 10070U);
}

TEST(MotionGpuBlurredDifference, SidesOfOneAndTwoAreReflected) {
  const auto of = [](PlaneSize size, std::vector<int> before, std::vector<int> now) {
    const auto plane = [&](const std::vector<int>& samples, unsigned seed) {
      return TestPlane<uint8_t>(size.width, size.height, seed,
                                [&](int x, int y) { return samples[static_cast<size_t>(x + y)]; });
    };
    return on_device(plane(before, 1), plane(now, 2), 8).difference;
  };
  EXPECT_EQ(of({1, 1}, {10}, {3}), 7U * 256);
  EXPECT_EQ(of({2, 1}, {10, 20}, {3, 0}), 3417U + 3495U);
  EXPECT_EQ(of({1, 2}, {10, 20}, {3, 0}), 3417U + 3495U);
}

// Around the vectors of an invocation, its rows, and the tiles of a work group.
TEST(MotionGpuBlurredDifference, EqualsScalarWhateverTheSize) {
  unsigned seed = 0;
  for (const PlaneSize size : {PlaneSize{1, 1},
                               {2, 3},
                               {3, 2},
                               {4, 5},
                               {5, 1},
                               {1, 40},
                               {7, 15},
                               {9, 16},
                               {247, 17},
                               {248, 3},
                               {249, 18},
                               {250, 4},
                               {251, 33},
                               {252, 2},
                               {253, 6},
                               {495, 31},
                               {496, 34},
                               {640, 360}}) {
    ++seed;
    expect_scalar<uint8_t>(size, 8, 0, seed);
    expect_scalar<uint16_t>(size, 10, 0, seed);
    expect_scalar<uint16_t>(size, 16, 0, seed);
  }
}

TEST(MotionGpuBlurredDifference, EqualsScalarAtEveryDepth) {
  unsigned seed = 100;
  for (int bit_depth = 9; bit_depth <= 16; ++bit_depth) {
    const unsigned top = (1U << bit_depth) - 1;
    for (const unsigned low : {0U, top - 3, top / 2})
      expect_scalar<uint16_t>({259, 37}, bit_depth, low, ++seed);
  }
  for (const unsigned low : {0U, 252U, 127U}) expect_scalar<uint8_t>({259, 37}, 8, low, ++seed);
}

TEST(MotionGpuBlurredDifference, TakesBytesInWords) {
  expect_scalar<uint16_t>({259, 37}, 8, 0, 1);
}

TEST(MotionGpuBlurredDifference, EqualsScalarOnExtremes) {
  for (const int bit_depth : {10, 15, 16}) {
    const int top = (1 << bit_depth) - 1;
    std::minstd_rand random(static_cast<unsigned>(bit_depth));
    const TestPlane<uint16_t> noise(301, 35, 1,
                                    [&](int, int) { return static_cast<int>((random() >> 9) % 2) * top; });
    for (int block = 1; block <= 5; ++block) {
      const TestPlane<uint16_t> blocks(301, 35, 2,
                                       [&](int x, int y) { return (x / block + y / block) % 2 * top; });
      SCOPED_TRACE(std::to_string(bit_depth) + " bits, blocks of " + std::to_string(block));
      EXPECT_EQ(on_device(noise, blocks, bit_depth).difference, by_scalar(noise, blocks, bit_depth));
      EXPECT_EQ(on_device(blocks, noise, bit_depth).difference, by_scalar(blocks, noise, bit_depth));
    }
  }
}

TEST(MotionGpuBlurredDifference, HasRoomForTheLargestDifference) {
  const TestPlane<uint16_t> black(kMaxSide, 19, 1, [](int, int) { return 0; });
  const TestPlane<uint16_t> white(kMaxSide, 19, 2, [](int, int) { return 65535; });
  EXPECT_EQ(on_device(black, white, 16).difference, uint64_t{19} * kMaxSide * 65535);
  EXPECT_EQ(on_device(white, black, 16).difference, uint64_t{19} * kMaxSide * 65535);
  EXPECT_EQ(on_device(white, white, 16).difference, 0U);
}

// Wherever it is, but not behind a row, where there is noise; in the picture before it was told of already.
TEST(MotionGpuBlurredDifference, TellsOfASampleBeyondItsDepth) {
  for (const int width : {1, 6, 250}) {
    for (const int height : {1, 18}) {
      const TestPlane<uint16_t> fine(width, height, 1, [](int x, int y) { return (x * 7 + y) & 1023; });
      EXPECT_FALSE(on_device(fine, fine, 10).has_excess);
      for (const int x : {0, width / 2, width - 1}) {
        for (const int y : {0, height / 2, height - 1}) {
          const TestPlane<uint16_t> spoilt(width, height, 2,
                                           [&](int i, int j) { return i == x && j == y ? 1024 : 1023; });
          EXPECT_TRUE(on_device(fine, spoilt, 10).has_excess)
              << x << ", " << y << " of " << width << "x" << height;
          EXPECT_FALSE(on_device(spoilt, fine, 10).has_excess);
          EXPECT_FALSE(on_device(fine, spoilt, 11).has_excess);
        }
      }
    }
  }
}

}  // namespace
}  // namespace vq::motion::gpu
