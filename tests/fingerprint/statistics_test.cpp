// Avalanche and collisions of the fingerprint, against chance. All pictures are fixed, so that a result is.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/fingerprint/collisions.h"
#include "tests/fingerprint/pictures.h"

namespace vq::fingerprint {
namespace {

constexpr double kLimit = 5;  // standard deviations: chance exceeds it once in two million

class FingerprintCollisions : public ::testing::TestWithParam<test::Family> {};

TEST_P(FingerprintCollisions, AreAsManyAsByChance) {
  double found = 0, expected = 0;
  for (const test::CollisionCount& count : test::count_collisions(GetParam(), 500000, 32)) {
    EXPECT_LT(std::abs(count.deviation()), kLimit) << collision_text(GetParam(), count);
    found += count.found;
    expected += count.expected;
  }
  EXPECT_GT(expected, 200);
  EXPECT_LT(std::abs(found - expected), kLimit * std::sqrt(expected)) << test::to_string(GetParam());
}

INSTANTIATE_TEST_SUITE_P(EveryFamily, FingerprintCollisions, ::testing::ValuesIn(test::kFamilies));

int bit_of(const LaneSums& hash, int bit) {
  return static_cast<int>(hash[static_cast<size_t>(bit / 32)] >> (bit % 32) & 1);
}

// Each bit of a picture turns each bit of its hash in half of all cases.
TEST(FingerprintAvalanche, OfEveryBitReachesEveryBit) {
  constexpr int kTrials = 1000, kWidth = 5, kHeight = 3, kDepth = 10, kOutputs = 128;
  const FingerprintPlan plan = {.planes = 1, .sizes = {PlaneSize{kWidth, kHeight}}, .bit_depth = kDepth};
  const auto hash = [&](const test::DecodedPlane& plane) {
    const LaneSums sums = scalar::plane_sums(plane.view(), 0);
    return fingerprint(plan, {&sums, 1});
  };
  std::minstd_rand random(3);
  std::vector<double> turned_by_output(kOutputs);
  double worst = 0;
  for (int input = 0; input < kWidth * kHeight * kDepth; ++input) {
    const int x = input / kDepth % kWidth, y = input / kDepth / kWidth;
    std::vector<int> turned(kOutputs);
    for (int trial = 0; trial < kTrials; ++trial) {
      test::DecodedPlane plane(kWidth, kHeight, kDepth);
      plane.fill([&](int, int) { return static_cast<int>(random() >> 7) & ((1 << kDepth) - 1); });
      const LaneSums before = hash(plane);
      plane.set(x, y, plane.at(x, y) ^ 1 << input % kDepth);
      const LaneSums after = hash(plane);
      for (int i = 0; i < kOutputs; ++i)
        turned[static_cast<size_t>(i)] += bit_of(before, i) ^ bit_of(after, i);
    }
    for (size_t i = 0; i < kOutputs; ++i) {
      worst = std::max(worst, std::abs(turned[i] - kTrials / 2.0) / std::sqrt(kTrials / 4.0));
      turned_by_output[i] += turned[i];
    }
  }
  EXPECT_LT(worst, 5.5);  // of 19200 pairs of bits
  const double trials = kTrials * kWidth * kHeight * kDepth;
  for (const double turned : turned_by_output)
    EXPECT_LT(std::abs(turned - trials / 2) / std::sqrt(trials / 4), kLimit);
}

}  // namespace
}  // namespace vq::fingerprint
