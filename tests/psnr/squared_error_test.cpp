#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "feature/psnr/psnr.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/implementations.h"

namespace vq::psnr {
namespace {

using namespace vq::test;
using Implementation = vq::test::Implementation<SquaredError>;

std::vector<Implementation> implementations() {
  return vq::test::all_implementations(SquaredError{scalar::squared_error}, simd::squared_error_for);
}

Samples samples(const DecodedPlane& plane, int shift = 0) {
  return {.view = plane.view(), .shift = shift};
}

TEST(PsnrSquaredError, IsTheSumOfSquaredDifferences) {
  const auto a = plane_of({{10, 20, 0}, {30, 40, 255}}, 8);
  const auto b = plane_of({{13, 16, 0}, {30, 50, 0}}, 8);
  for (const Implementation& implementation : implementations()) {
    EXPECT_EQ(implementation(samples(a), samples(b)), 9u + 16 + 100 + 255 * 255) << implementation.name;
  }
}

TEST(PsnrSquaredError, BringsThe8BitsOfAnEncodeToThe10OfItsSource) {
  const auto source = plane_of({{41, 80, 1023}, {0, 161, 3}}, 10);
  const auto encode = plane_of({{10, 20, 255}, {1, 40, 0}}, 8);
  for (const Implementation& implementation : implementations()) {
    EXPECT_EQ(implementation(samples(source), samples(encode, 2)), 1u + 0 + 9 + 16 + 1 + 9)
        << implementation.name;
  }
}

// Rows as long as a vector or not, of all lengths up to two of the longest.
void compare_with_scalar(int depth_a, int depth_b, int shift_a, int shift_b) {
  for (int width = 1; width <= 130; ++width) {
    const PlaneSize size = {width, 1 + width * 7 % 11};
    const auto seed = static_cast<unsigned>(width);
    const DecodedPlane a = noise_plane(size, depth_a, seed), b = noise_plane(size, depth_b, seed + 1001);
    const std::string where = std::to_string(width) + "x" + std::to_string(size.height) + ", depths " +
                              std::to_string(depth_a) + " and " + std::to_string(depth_b) + ", shifts " +
                              std::to_string(shift_a) + " and " + std::to_string(shift_b);
    vq::test::expect_same_of_all(implementations(), where, [&](const Implementation& implementation) {
      return implementation(samples(a, shift_a), samples(b, shift_b));
    });
  }
}

TEST(PsnrSquaredError, EveryImplementationEqualsScalarWhateverTypesAndShifts) {
  for (const auto& [shift_a, shift_b] :
       std::vector<std::pair<int, int>>{{0, 0}, {2, 0}, {0, 2}, {4, 4}, {3, 1}, {8, 0}, {0, 8}, {8, 8}}) {
    for (const auto& [depth_a, depth_b] :
         std::vector<std::pair<int, int>>{{8, 8}, {8, 16}, {16, 8}, {16, 16}}) {
      compare_with_scalar(depth_a, depth_b, shift_a, shift_b);
    }
  }
}

TEST(PsnrSquaredError, CountsEachSampleOnce) {
  for (const Implementation& implementation : implementations()) {
    for (int width = 1; width <= 130; ++width) {
      DecodedPlane a(width, 2, 8, 3), b(width, 2, 8, 4), deep(width, 2, 16, 5);
      for (DecodedPlane* plane : {&a, &b, &deep}) plane->flat(100);
      for (const int x : {0, width / 2, width - 1}) {
        a.set(x, 1, 103);
        ASSERT_EQ(implementation(samples(a), samples(b)), 9u)
            << implementation.name << ", x=" << x << " of " << width;
        ASSERT_EQ(implementation(samples(deep), samples(a)), 9u)
            << implementation.name << ", x=" << x << " of " << width;
        a.set(x, 1, 100);
      }
    }
  }
}

// A plane of the largest width with one row for all its rows.
template <typename T>
Samples repeated_row(const std::vector<T>& row, int height) {
  return {.view = vq::test::sample_view<T>({row.data(), kMaxSide, height, 0})};
}

TEST(PsnrSquaredError, HasRoomForTheLargestErrorOfALargePlane) {
  const std::vector<uint16_t> black(kMaxSide), white(kMaxSide, 65535);
  for (const Implementation& implementation : implementations()) {
    EXPECT_EQ(implementation(repeated_row(black, 1024), repeated_row(white, 1024)),
              uint64_t{kMaxSide} * 1024 * 65535 * 65535)
        << implementation.name;
  }
}

TEST(PsnrSquaredError, HasRoomForTheLargestErrorOfTheLongestRow) {
  const std::vector<uint16_t> black(kMaxSide), white(kMaxSide, 65535);
  const std::vector<uint8_t> black8(kMaxSide), white8(kMaxSide, 255);
  const uint64_t samples = uint64_t{kMaxSide} * 3;
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    EXPECT_EQ(implementation(repeated_row(white, 3), repeated_row(black, 3)), samples * 65535 * 65535);
    EXPECT_EQ(implementation(repeated_row(white8, 3), repeated_row(black8, 3)), samples * 255 * 255);
    EXPECT_EQ(implementation(repeated_row(black, 3), repeated_row(white8, 3)), samples * 255 * 255);
  }
}

// The bytes of a 16-bit difference are summed apart: each alone, and both.
TEST(PsnrSquaredError, HasRoomForEachByteOfADifference) {
  const std::vector<uint16_t> black(kMaxSide);
  for (const uint16_t level : {0x00FF, 0xFF00, 0x8000, 0x7FFF, 0x0100}) {
    const std::vector<uint16_t> grey(kMaxSide, level);
    for (const Implementation& implementation : implementations()) {
      EXPECT_EQ(implementation(repeated_row(black, 2), repeated_row(grey, 2)),
                uint64_t{2} * kMaxSide * level * level)
          << implementation.name;
    }
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
