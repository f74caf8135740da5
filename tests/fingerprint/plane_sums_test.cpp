#include "feature/fingerprint/fingerprint.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/implementations.h"

namespace vq::fingerprint {
namespace {

using vq::test::DecodedPlane;
using Implementation = vq::test::Implementation<decltype(&scalar::plane_sums)>;

std::vector<Implementation> implementations() {
  return vq::test::all_implementations(&scalar::plane_sums, simd::plane_sums_for);
}

DecodedPlane noise(int width, int height, int bit_depth, unsigned seed, int padding = 3) {
  std::minstd_rand random(seed);
  DecodedPlane plane(width, height, bit_depth, padding);
  plane.fill([&](int, int) { return static_cast<int>(random() >> 7) & ((1 << bit_depth) - 1); });
  return plane;
}

TEST(FingerprintPlaneSums, AreOfWordsOfARowFromTheLeftPaddedWithZeros) {
  DecodedPlane bytes(5, 2, 8), words(3, 2, 10);
  bytes.fill([](int x, int y) { return 16 * (y + 1) + x; });
  words.fill([](int x, int y) { return 256 * (y + 1) + x; });
  const LaneSums of_bytes = mixed_word(0x13121110, {0, 0, 2}) + mixed_word(0x14, {1, 0, 2}) +
                            mixed_word(0x23222120, {0, 1, 2}) + mixed_word(0x24, {1, 1, 2});
  const LaneSums of_words = mixed_word(0x01010100, {0, 0, 1}) + mixed_word(0x0102, {1, 0, 1}) +
                            mixed_word(0x02010200, {0, 1, 1}) + mixed_word(0x0202, {1, 1, 1});
  for (const Implementation& implementation : implementations()) {
    EXPECT_EQ(implementation(bytes.view(), 2), of_bytes) << implementation.name;
    EXPECT_EQ(implementation(words.view(), 1), of_words) << implementation.name;
  }
}

// Rows as long as a vector or not, of all lengths up to three of the longest, and around the tiles of a work
// group; no more than the rows is read.
TEST(FingerprintPlaneSums, EveryImplementationEqualsScalar) {
  std::vector<PlaneSize> sizes = {{1, 64}, {2, 65}, {255, 63}, {256, 64}, {257, 129}, {512, 64}, {513, 65}};
  for (int width = 1; width <= 200; ++width) sizes.push_back({width, 1 + width * 7 % 11});
  for (const auto& [width, height] : sizes) {
    for (const int bit_depth : {8, 10, 16}) {
      const DecodedPlane plane = noise(width, height, bit_depth, static_cast<unsigned>(width), width % 5);
      const int number = width % 3;
      const std::string where = "width " + std::to_string(width) + ", " + std::to_string(bit_depth) + " bits";
      vq::test::expect_same_of_all(implementations(), where,
                                   [&](const Implementation& one) { return one(plane.view(), number); });
    }
  }
}

TEST(FingerprintPlaneSums, WhatLiesBetweenRowsDoesNotCount) {
  for (const Implementation& implementation : implementations()) {
    for (const int bit_depth : {8, 12}) {
      const LaneSums sums = implementation(noise(77, 9, bit_depth, 5, 0).view(), 0);
      for (const int padding : {1, 2, 7, 64})
        EXPECT_EQ(implementation(noise(77, 9, bit_depth, 5, padding).view(), 0), sums) << implementation.name;
    }
  }
}

TEST(FingerprintPlaneSums, CountEveryRowAndColumnOfTheLargestPlane) {
  const std::vector<uint16_t> row(kMaxSide, 0xFFFF);
  SampleView wide, high;
  wide.u16 = {row.data(), kMaxSide, 3, 0};
  high.u16 = {row.data(), 3, kMaxSide, 0};
  for (const Implementation& implementation : implementations()) {
    EXPECT_EQ(implementation(wide, 2), scalar::plane_sums(wide, 2)) << implementation.name;
    EXPECT_EQ(implementation(high, 2), scalar::plane_sums(high, 2)) << implementation.name;
  }
}

// Words of different places are mixed differently in every lane, up to the last place there is.
TEST(FingerprintMixedWord, DependsOnTheWholePlaceInEveryLane) {
  std::vector<LaneSums> found;
  for (const int plane : {0, 1, 2, 3}) {
    for (const int y : {0, 1, 2, 8191, kMaxSide - 1}) {
      for (const int x : {0, 1, 2, 4095, kMaxSide / 2 - 1}) found.push_back(mixed_word(7, {x, y, plane}));
    }
  }
  for (size_t i = 0; i < found.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      for (size_t lane = 0; lane < kLanes; ++lane) EXPECT_NE(found[i][lane], found[k][lane]);
    }
  }
}

// The inverse of the mixing function, which shows that it is a permutation.
uint32_t unmixed(uint32_t v) {
  const auto unshift = [](uint32_t value, unsigned shift) {
    uint32_t found = value;
    for (unsigned known = shift; known < 32; known += shift) found = value ^ found >> shift;
    return found;
  };
  const auto inverse = [](uint32_t odd) {
    uint32_t found = odd;
    for (int i = 0; i < 5; ++i)
      found *= 2 - odd * found;  // Newton's: each step doubles the bits that are right
    return found;
  };
  v = unshift(v, 14) * inverse(0x31848BAB);
  v = unshift(v, 15) * inverse(0xAC4C1B51);
  v = unshift(v, 11) * inverse(0xED5AD4BB);
  return unshift(v, 17);
}

TEST(FingerprintMixed, IsAPermutation) {
  std::minstd_rand random(1);
  for (uint32_t value : {0U, 1U, 0x80000000U, 0xFFFFFFFFU}) EXPECT_EQ(unmixed(mixed(value)), value);
  for (int i = 0; i < 1000000; ++i) {
    const uint32_t value = static_cast<uint32_t>(random()) * 2654435761U;
    ASSERT_EQ(unmixed(mixed(value)), value);
  }
}

}  // namespace
}  // namespace vq::fingerprint
