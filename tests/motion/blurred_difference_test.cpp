#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "feature/motion/stages.h"
#include "feature/simd_targets.h"
#include "tests/support/luma_plane.h"

namespace vq::motion {
namespace {

using vq::test::LumaPlane;
using vq::test::noise_plane;

struct Implementation {
  std::string name;
  BlurredDifference blurred_difference;
};

// All that this machine can run.
std::vector<Implementation> implementations() {
  std::vector<Implementation> found = {{"scalar", scalar::blurred_difference}};
  for (const SimdTarget& target : allowed_simd_targets(0)) {
    found.push_back({target.name, simd::blurred_difference_for(target.id)});
  }
  return found;
}

uint64_t difference(BlurredDifference stage, const LumaPlane& before, const LumaPlane& now, int bit_depth) {
  const Pictures pictures = {before.view(), now.view(), bit_depth};
  Rows rows(pictures.now.width());
  return stage(pictures, rows);
}

// A level of 8-bit video is 256 units, whatever the depth and the sign.
TEST(MotionBlurredDifference, OfFlatPicturesIsThatOfTheirLevels) {
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    for (const int bit_depth : {8, 9, 10, 12, 15, 16}) {
      const int level = 1 << (bit_depth - 8), top = (1 << bit_depth) - 1;
      const auto flat = [&](int sample) { return LumaPlane(71, 5, bit_depth).fill([=](int, int) { return sample; }); };
      const auto between = [&](int a, int b) { return difference(implementation.blurred_difference, flat(a), flat(b), bit_depth); };
      EXPECT_EQ(between(100 * level, 101 * level), 256U * 71 * 5) << bit_depth;
      EXPECT_EQ(between(101 * level, 100 * level), 256U * 71 * 5) << bit_depth;
      const auto most = static_cast<uint64_t>(255 * 256 + (top - 255 * level) * 256 / level);
      EXPECT_EQ(between(0, top), most * 71 * 5) << bit_depth;
      EXPECT_EQ(between(top, 0), most * 71 * 5) << bit_depth;
    }
  }
}

// A dot of 32 in the middle of 5x5: columns are 893, 2001 (half a unit goes up), 3298, 2001, 893 before the rows are blurred,
// and with the sign turned -893, -2000, ... Pictures this small are the business of the scalar version.
TEST(MotionBlurredDifference, RoundsHalvesUpOnBothSidesOfZero) {
  LumaPlane black = LumaPlane(5, 5, 8).fill([](int, int) { return 0; }), dot = black;
  dot.set(2, 2, 32);
  for (const Implementation& implementation : implementations()) {
    EXPECT_EQ(difference(implementation.blurred_difference, dot, black, 8), 10076U) << implementation.name;
    EXPECT_EQ(difference(implementation.blurred_difference, black, dot, 8), 10070U) << implementation.name;
  }
}

// Of one sample there is nothing but that; of two each is the other's neighbour on both sides.
TEST(MotionBlurredDifference, SidesOfOneAndTwoAreReflected) {
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    const auto of = [&](PlaneSize size, std::vector<int> before, std::vector<int> now) {
      const auto plane = [&](const std::vector<int>& samples) {
        return LumaPlane(size.width, size.height, 8).fill([&](int x, int y) { return samples[static_cast<size_t>(x + y)]; });
      };
      return difference(implementation.blurred_difference, plane(before), plane(now), 8);
    };
    EXPECT_EQ(of({1, 1}, {10}, {3}), 7U * 256);
    EXPECT_EQ(of({2, 1}, {10, 20}, {3, 0}), 3417U + 3495U);
    EXPECT_EQ(of({1, 2}, {10, 20}, {3, 0}), 3417U + 3495U);
  }
}

TEST(MotionBlurredDifference, OfEqualPicturesIsNothing) {
  const LumaPlane one = noise_plane({75, 9}, 8, 0, 255, 1), same = noise_plane({75, 9}, 8, 0, 255, 1);
  const LumaPlane deep = noise_plane({75, 9}, 16, 0, 65535, 1);
  for (const Implementation& implementation : implementations()) {
    EXPECT_EQ(difference(implementation.blurred_difference, one, one, 8), 0U) << implementation.name;
    EXPECT_EQ(difference(implementation.blurred_difference, one, same, 8), 0U) << implementation.name;
    EXPECT_EQ(difference(implementation.blurred_difference, deep, deep, 16), 0U) << implementation.name;
  }
}

// Rows as long as a vector or not, of all lengths up to four of the longest.
TEST(MotionBlurredDifference, EveryImplementationEqualsScalar) {
  unsigned seed = 0;
  for (int width = 1; width <= 135; ++width) {
    const PlaneSize size = {width, 1 + width * 7 % 11};
    for (const int bit_depth : {8, 9, 10, 12, 15, 16}) {
      const int top = (1 << bit_depth) - 1;
      for (const int low : {0, top - 3}) {
        const LumaPlane before = noise_plane(size, bit_depth, low, top, ++seed), now = noise_plane(size, bit_depth, low, top, seed + 7);
        const uint64_t expected = difference(scalar::blurred_difference, before, now, bit_depth);
        for (const Implementation& implementation : implementations()) {
          ASSERT_EQ(difference(implementation.blurred_difference, before, now, bit_depth), expected)
              << implementation.name << ", " << width << "x" << size.height << ", " << bit_depth << " bits from " << low;
        }
      }
    }
  }
}

TEST(MotionBlurredDifference, EveryImplementationEqualsScalarOnExtremes) {
  for (const int bit_depth : {8, 10, 15, 16}) {
    const int top = (1 << bit_depth) - 1;
    std::minstd_rand random(static_cast<unsigned>(bit_depth));
    for (int block = 1; block <= 5; ++block) {
      LumaPlane before(97, 23, bit_depth), now(97, 23, bit_depth);
      before.fill([&](int, int) { return static_cast<int>((random() >> 9) % 2) * top; });
      now.fill([&](int x, int y) { return (x / block + y / block) % 2 * top; });
      const uint64_t expected = difference(scalar::blurred_difference, before, now, bit_depth);
      for (const Implementation& implementation : implementations()) {
        ASSERT_EQ(difference(implementation.blurred_difference, before, now, bit_depth), expected)
            << implementation.name << ", " << bit_depth << " bits, blocks of " << block;
      }
    }
  }
}

TEST(MotionBlurredDifference, TakesBytesInWords) {
  const LumaPlane before = noise_plane({80, 6}, 8, 0, 255, 1), now = noise_plane({80, 6}, 8, 0, 255, 2);
  const auto in_words = [](const LumaPlane& bytes) {
    return LumaPlane(80, 6, 8, 1, true).fill([&](int x, int y) { return bytes.view().u8.row(y)[x]; });
  };
  for (const Implementation& implementation : implementations()) {
    EXPECT_EQ(difference(implementation.blurred_difference, in_words(before), in_words(now), 8),
              difference(scalar::blurred_difference, before, now, 8))
        << implementation.name;
  }
}

// Each sample of the longest row counts for the most.
TEST(MotionBlurredDifference, HasRoomForTheLongestRow) {
  const std::vector<uint16_t> black(kMaxSide), white(kMaxSide, 65535);
  const auto repeated = [](const std::vector<uint16_t>& row) {
    return SampleView{.u8 = {}, .u16 = {row.data(), kMaxSide, 3, 0}};
  };
  Rows rows(kMaxSide);
  for (const Implementation& implementation : implementations()) {
    EXPECT_EQ(implementation.blurred_difference({repeated(white), repeated(black), 16}, rows), uint64_t{3} * kMaxSide * 65535)
        << implementation.name;
    EXPECT_EQ(implementation.blurred_difference({repeated(black), repeated(white), 16}, rows), uint64_t{3} * kMaxSide * 65535)
        << implementation.name;
  }
}

}  // namespace
}  // namespace vq::motion
