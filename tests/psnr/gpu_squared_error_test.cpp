// The pass on the device against the stage's scalar version.
#include "feature/psnr/psnr.h"
#include "tests/support/gpu_test.h"

namespace vq::psnr {
namespace {

using namespace vq::test;

template <typename T>
Samples samples_of(const TestPlane<T>& plane, int shift) {
  return {.view = plane.view(), .shift = shift};
}

// The sums of `passes` passes lie one behind the other; each must be the same.
template <typename A, typename B>
uint64_t error_on_device(const TestPlane<A>& a, int shift_a, const TestPlane<B>& b, int shift_b,
                         int passes = 1) {
  const SquaredErrorPass pass(test_context(), {a.on_device, shift_a}, {b.on_device, shift_b});
  const vulkan::Buffer sums =
      recorded(passes * pass.sum_bytes(), [&](auto& recorder, const vulkan::Buffer& there) {
        for (int i = 0; i < passes; ++i) pass.record(recorder, there, i * pass.sum_bytes());
      });
  const uint64_t first = pass.squared_error(sums.mapped());
  for (int i = 1; i < passes; ++i) EXPECT_EQ(pass.squared_error(sums.mapped() + i * pass.sum_bytes()), first);
  return first;
}

TEST(PsnrGpuSquaredError, IsTheSumOfSquaredDifferences) {
  const TestPlane<uint8_t> a(3, 2, 1, [](int x, int y) { return 10 * x + 100 * y; });
  const TestPlane<uint16_t> b(3, 2, 2, [](int x, int y) { return 40 * x + 400 * y + (x == 2 ? 300 : y); });
  EXPECT_EQ(error_on_device(a, 2, b, 0), 2u * 300 * 300 + 2);
}

template <typename A, typename B>
void compare_with_scalar(int shift_a, int shift_b) {
  unsigned seed = 0;
  // Around the vectors of an invocation and the tiles of a work group.
  for (const auto& [width, height] :
       {std::pair{1, 1}, {7, 3}, {8, 64}, {9, 65}, {130, 63}, {255, 2}, {256, 64}, {257, 129}, {640, 360}}) {
    TestPlane<A> a(width, height + 1, ++seed,
                   [&](unsigned x, unsigned y) { return (7919 * x + seed) * (y + 13); });
    TestPlane<B> b(width, height + 1, ++seed,
                   [&](unsigned x, unsigned y) { return (6101 * y + seed) * (x + 17); });
    a.content.height = b.content.height = height;  // the row below is none of the plane
    a.on_device.layout.height = b.on_device.layout.height = height;
    ASSERT_EQ(error_on_device(a, shift_a, b, shift_b),
              scalar::squared_error(samples_of(a, shift_a), samples_of(b, shift_b)))
        << width << "x" << height << ", shifts " << shift_a << ", " << shift_b;
  }
}

TEST(PsnrGpuSquaredError, EqualsScalarWhateverTypesAndShifts) {
  compare_with_scalar<uint8_t, uint8_t>(0, 0);
  compare_with_scalar<uint8_t, uint16_t>(2, 0);
  compare_with_scalar<uint8_t, uint16_t>(8, 0);
  compare_with_scalar<uint16_t, uint8_t>(0, 4);
  compare_with_scalar<uint16_t, uint16_t>(0, 0);
  compare_with_scalar<uint16_t, uint16_t>(2, 6);
}

TEST(PsnrGpuSquaredError, CountsEachSampleOnceAndNothingBehindARow) {
  for (int width = 1; width <= 130; width += width < 20 ? 1 : 11) {
    for (const int marked : {0, width / 2, width - 1}) {
      const TestPlane<uint8_t> a(width, 3, 5,
                                 [&](int x, int y) { return x == marked && y == 2 ? 103 : 100; });
      const TestPlane<uint16_t> b(width, 3, 6, [](int, int) { return 100; });
      ASSERT_EQ(error_on_device(a, 0, b, 0), 9u) << "x=" << marked << " of " << width;
    }
  }
}

TEST(PsnrGpuSquaredError, HasRoomForTheLargestErrors) {
  const TestPlane<uint16_t> black(600, 200, 1, [](int, int) { return 0; });
  const TestPlane<uint16_t> white(600, 200, 2, [](int, int) { return 65535; });
  EXPECT_EQ(error_on_device(black, 0, white, 0), uint64_t{600} * 200 * 65535 * 65535);
  EXPECT_EQ(error_on_device(white, 0, black, 0), uint64_t{600} * 200 * 65535 * 65535);
}

TEST(PsnrGpuSquaredError, SumsOfSeveralPassesLieSideBySide) {
  const TestPlane<uint8_t> a(300, 100, 1, [](int x, int) { return x; });
  const TestPlane<uint8_t> b(300, 100, 2, [](int, int y) { return y; });
  EXPECT_EQ(error_on_device(a, 0, b, 0, 3), scalar::squared_error(samples_of(a, 0), samples_of(b, 0)));
}

}  // namespace
}  // namespace vq::psnr
