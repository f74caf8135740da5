#include "feature/psnr/psnr.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/implementations.h"

namespace vq::psnr {
namespace {

using namespace vq::test;
using Implementation = vq::test::Implementation<decltype(&scalar::squared_error)>;

std::vector<Implementation> implementations() {
  return all_implementations(&scalar::squared_error, simd::squared_error_for);
}

Samples samples(const DecodedPlane& plane, int shift = 0) { return {.view = plane.view(), .shift = shift}; }

void compare_with_scalar(PlaneSize size, int depth_a, int depth_b, int shift_a, int shift_b) {
  const auto seed = static_cast<unsigned>(size.width);
  const DecodedPlane a = noise_plane(size, depth_a, seed), b = noise_plane(size, depth_b, seed + 1001);
  const std::string where = std::to_string(size.width) + "x" + std::to_string(size.height) + ", depths " +
                            std::to_string(depth_a) + " and " + std::to_string(depth_b) + ", shifts " +
                            std::to_string(shift_a) + " and " + std::to_string(shift_b);
  expect_same_of_all(implementations(), where, [&](const Implementation& implementation) {
    return implementation(samples(a, shift_a), samples(b, shift_b));
  });
}

// Rows as long as a vector or not, of all lengths up to two of the longest, and sizes around the tiles of
// work groups.
TEST(PsnrSquaredError, EveryImplementationEqualsScalarWhateverTypesAndShifts) {
  for (const auto& [shift_a, shift_b] :
       std::vector<std::pair<int, int>>{{0, 0}, {2, 0}, {0, 2}, {4, 4}, {3, 1}, {8, 0}, {0, 8}, {8, 8}}) {
    for (const auto& [depth_a, depth_b] :
         std::vector<std::pair<int, int>>{{8, 8}, {8, 16}, {16, 8}, {16, 16}}) {
      for (int width = 1; width <= 130; ++width)
        compare_with_scalar({width, 1 + width * 7 % 11}, depth_a, depth_b, shift_a, shift_b);
      for (const PlaneSize size : {PlaneSize{9, 65}, {130, 63}, {255, 2}, {256, 64}, {257, 129}, {640, 360}})
        compare_with_scalar(size, depth_a, depth_b, shift_a, shift_b);
    }
  }
}

TEST(PsnrSquaredError, CountsEachSampleOnce) {
  for (const Implementation& implementation : implementations()) {
    for (int width = 1; width <= 130; width += width < 70 ? 1 : 7) {
      DecodedPlane a(width, 2, 8, 3), b(width, 2, 8, 4), deep(width, 2, 16, 5);
      for (DecodedPlane* plane : {&a, &b, &deep}) plane->flat(100);
      for (const int x : {0, width / 2, width - 1}) {
        a.set(x, 1, 103);
        for (const auto& [first, second] : {std::pair{&a, &b}, {&deep, &a}}) {
          ASSERT_EQ(implementation(samples(*first), samples(*second)), 9u)
              << implementation.name << ", x=" << x << " of " << width;
        }
        a.set(x, 1, 100);
      }
    }
  }
}

// A plane of the largest width with one level for all its samples.
template <typename T>
Samples flat(std::vector<T>& row, int level, int height) {
  row.assign(kMaxSide, static_cast<T>(level));
  return {.view = sample_view<T>({row.data(), kMaxSide, height, 0})};
}

// Of a large plane, of the longest row, and of each byte of a 16-bit difference, which are summed apart.
TEST(PsnrSquaredError, HasRoomForTheLargestErrors) {
  std::vector<uint16_t> black, grey;
  std::vector<uint8_t> black8, white8;
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    for (const auto& [level, height] : {std::pair{65535, 1024},
                                        {65535, 3},
                                        {0x00FF, 2},
                                        {0xFF00, 2},
                                        {0x8000, 2},
                                        {0x7FFF, 2},
                                        {0x0100, 2}}) {
      const Samples first = flat(black, 0, height), second = flat(grey, level, height);
      const uint64_t expected = uint64_t{kMaxSide} * static_cast<unsigned>(height) *
                                static_cast<unsigned>(level) * static_cast<unsigned>(level);
      EXPECT_EQ(implementation(first, second), expected) << level;
      EXPECT_EQ(implementation(second, first), expected) << level;
    }
    const Samples white = flat(white8, 255, 3);
    EXPECT_EQ(implementation(white, flat(black8, 0, 3)), uint64_t{kMaxSide} * 3 * 255 * 255);
    EXPECT_EQ(implementation(flat(black, 0, 3), white), uint64_t{kMaxSide} * 3 * 255 * 255);
  }
}

TEST(PsnrSquaredError, OfBandsAddsUpToThatOfThePlane) {
  const DecodedPlane a = noise_plane({77, 20}, 16, 6), b = noise_plane({77, 20}, 16, 7);
  for (const Implementation& implementation : implementations()) {
    uint64_t sum = 0;
    for (const auto& [first, end] : {std::pair{0, 7}, {7, 8}, {8, 20}}) {
      Samples bands[] = {samples(a), samples(b)};
      for (Samples& band : bands) {
        band.view.u16.data += first * band.view.u16.stride;
        band.view.u16.height = end - first;
      }
      sum += implementation(bands[0], bands[1]);
    }
    EXPECT_EQ(sum, implementation(samples(a), samples(b))) << implementation.name;
  }
}

#if HWY_IS_DEBUG_BUILD
TEST(PsnrSquaredErrorDeathTest, PlanesAreOfOneSizeAndShiftsInRange) {
  const DecodedPlane a(70, 4, 8), shorter(70, 3, 8), narrower(69, 4, 8);
  for (const Implementation& implementation : implementations()) {
    if (implementation.name == "vulkan") continue;  // its driver has threads, which do not survive a fork
    SCOPED_TRACE(implementation.name);
    EXPECT_DEATH(implementation(samples(a), samples(shorter)), "Assert");
    EXPECT_DEATH(implementation(samples(a), samples(narrower)), "Assert");
    EXPECT_DEATH(implementation(samples(a, 9), samples(a)), "Assert");
    EXPECT_DEATH(implementation(samples(a), samples(a, -1)), "Assert");
  }
}
#endif

}  // namespace
}  // namespace vq::psnr
