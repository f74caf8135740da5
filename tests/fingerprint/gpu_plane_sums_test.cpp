// The pass on the device against the stage's scalar version.
#include "feature/fingerprint/device.h"
#include "feature/fingerprint/fingerprint.h"
#include "tests/support/gpu_test.h"

namespace vq::fingerprint::gpu {
namespace {

using namespace vq::test;

// The sums of `passes` passes lie one behind the other; each must be the same.
template <typename T>
LaneSums sums_on_device(const TestPlane<T>& plane, int number, int passes = 1) {
  const PlaneSumsPass pass(test_context(), plane.on_device, number);
  const vulkan::Buffer sums =
      recorded(passes * pass.sum_bytes(), [&](auto& recorder, const vulkan::Buffer& there) {
        for (int i = 0; i < passes; ++i) pass.record(recorder, there, i * pass.sum_bytes());
      });
  const LaneSums first = pass.plane_sums(sums.mapped());
  for (int i = 1; i < passes; ++i) EXPECT_EQ(pass.plane_sums(sums.mapped() + i * pass.sum_bytes()), first);
  return first;
}

TEST(FingerprintGpuPlaneSums, AreOfWordsOfARowFromTheLeftPaddedWithZeros) {
  const TestPlane<uint8_t> bytes(5, 2, 1, [](int x, int y) { return 16 * (y + 1) + x; });
  EXPECT_EQ(sums_on_device(bytes, 2), mixed_word(0x13121110, {0, 0, 2}) + mixed_word(0x14, {1, 0, 2}) +
                                          mixed_word(0x23222120, {0, 1, 2}) + mixed_word(0x24, {1, 1, 2}));
  const TestPlane<uint16_t> words(3, 1, 2, [](int x, int) { return 256 + x; });
  EXPECT_EQ(sums_on_device(words, 1), mixed_word(0x01010100, {0, 0, 1}) + mixed_word(0x0102, {1, 0, 1}));
}

template <typename T>
void compare_with_scalar(int width, int height) {
  static unsigned seed = 0;
  ++seed;
  const TestPlane<T> plane(width, height, seed,
                           [](unsigned x, unsigned y) { return (7919 * x + seed) * (y + 13); });
  const int number = static_cast<int>(seed % 3);
  ASSERT_EQ(sums_on_device(plane, number), scalar::plane_sums(plane.view(), number))
      << width << "x" << height << ", " << 8 * sizeof(T) << " bits";
}

// Around the words, the vectors of an invocation and the tiles of a work group.
TEST(FingerprintGpuPlaneSums, EqualScalarOnEverySize) {
  for (int width = 1; width <= 140; width += width < 40 ? 1 : 9) {
    compare_with_scalar<uint8_t>(width, 1 + width % 5);
    compare_with_scalar<uint16_t>(width, 1 + width % 4);
  }
  for (const auto& [width, height] :
       {std::pair{1, 64}, {2, 65}, {255, 63}, {256, 64}, {257, 129}, {512, 64}, {513, 65}, {640, 360}}) {
    compare_with_scalar<uint8_t>(width, height);
    compare_with_scalar<uint16_t>(width, height);
  }
}

TEST(FingerprintGpuPlaneSums, ReachTheLastRowAndColumnOfTheLargestPlane) {
  compare_with_scalar<uint16_t>(kMaxSide, 2);
  compare_with_scalar<uint8_t>(3, kMaxSide);
}

TEST(FingerprintGpuPlaneSums, OfSeveralPassesLieSideBySide) {
  const TestPlane<uint8_t> plane(700, 130, 1, [](int x, int y) { return x + y; });
  EXPECT_EQ(sums_on_device(plane, 0, 3), scalar::plane_sums(plane.view(), 0));
}

}  // namespace
}  // namespace vq::fingerprint::gpu
