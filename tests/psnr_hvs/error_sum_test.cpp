// The transform and the sum of visible errors: examples, and every implementation against the scalar one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "feature/psnr_hvs/psnr_hvs.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/implementations.h"

namespace vq::psnr_hvs {
namespace {

using namespace vq::test;
using Implementation = vq::test::Implementation<ErrorSum>;

std::vector<Implementation> implementations() {
  return vq::test::all_implementations(ErrorSum{scalar::error_sum}, simd::error_sum_for);
}

Samples samples(const DecodedPlane& plane, int shift = 0) {
  return {.view = plane.view(), .shift = shift};
}

float error_sum(const Implementation& one, const Samples& a, const Samples& b) {
  Bands bands(a.view.width());
  return one(a, b, weights_of(0), bands);
}

int32_t mean_coefficient(int level) {
  int32_t block[kBlockSamples];
  std::fill_n(block, kBlockSamples, level);
  transform(block);
  for (int i = 1; i < kBlockSamples; ++i) EXPECT_EQ(block[i], 0) << i;
  return block[0];
}

// The transform is eight times the mean at frequency 0, but for rounding, and has no other part of a flat
// block.
TEST(PsnrHvsTransform, OfAFlatBlockIsItsMean) {
  EXPECT_EQ(mean_coefficient(0), 0);
  for (const int level : {1, 100, 255, 4095}) EXPECT_NEAR(mean_coefficient(level), 8 * level, 2);
}

// It is the orthonormal cosine transform but for the rounding of its steps.
TEST(PsnrHvsTransform, IsNearTheCosineTransform) {
  std::minstd_rand random(5);
  int32_t block[kBlockSamples];
  for (int32_t& sample : block) sample = static_cast<int32_t>(random() >> 8) % 4096;
  std::vector<double> expected(kBlockSamples);
  for (int v = 0; v < kBlockSide; ++v) {
    for (int h = 0; h < kBlockSide; ++h) {
      double sum = 0;
      for (int y = 0; y < kBlockSide; ++y) {
        for (int x = 0; x < kBlockSide; ++x) {
          sum += block[kBlockSide * y + x] * std::cos((2 * y + 1) * v * std::numbers::pi / 16) *
                 std::cos((2 * x + 1) * h * std::numbers::pi / 16);
        }
      }
      expected[static_cast<size_t>(kBlockSide * v + h)] =
          sum / 4 * (v == 0 ? std::numbers::sqrt2 / 2 : 1) * (h == 0 ? std::numbers::sqrt2 / 2 : 1);
    }
  }
  transform(block);
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(block[i], expected[i], 3) << i;
}

// All of it is in frequency 0, where nothing is hidden: (8 * 10 * weight)^2 for each of six blocks.
TEST(PsnrHvsErrorSum, OfABrighterFlatPictureIsThatOfTheMean) {
  const DecodedPlane a = DecodedPlane(22, 15, 8).flat(100), b = DecodedPlane(22, 15, 8).flat(110);
  const float error = static_cast<float>(mean_coefficient(110) - mean_coefficient(100)) * 1.6193873005F;
  EXPECT_NEAR(error, 80 * 1.6193873005, 2);
  float expected = 0;
  for (int block = 0; block < 6; ++block) expected += error * error;
  for (const Implementation& one : implementations()) {
    EXPECT_EQ(error_sum(one, samples(a), samples(b)), expected) << one.name;
    EXPECT_EQ(error_sum(one, samples(a), samples(a)), 0) << one.name;
  }
}

// Noise that is added to noise is hidden in part; to a flat picture of the same mean it is not.
TEST(PsnrHvsErrorSum, DetailHidesErrors) {
  const DecodedPlane flat = DecodedPlane(64, 64, 8).flat(120), noise = noise_plane({64, 64}, 8, 70, 169, 1);
  DecodedPlane on_flat(64, 64, 8), on_noise(64, 64, 8);
  const auto dither = [](int x, int y) { return (x + y) % 2 == 0 ? 2 : -2; };
  on_flat.fill([&](int x, int y) { return 120 + dither(x, y); });
  on_noise.fill([&](int x, int y) { return noise.at(x, y) + dither(x, y); });
  for (const Implementation& one : implementations()) {
    EXPECT_GT(error_sum(one, samples(flat), samples(on_flat)),
              2 * error_sum(one, samples(noise), samples(on_noise)))
        << one.name;
    EXPECT_GT(error_sum(one, samples(flat), samples(on_flat)), 0) << one.name;
  }
}

// Of some numbers, the sum of squares about their mean as their unbiased variance has it, times how many
// there are.
double variance_sum(const std::vector<double>& numbers) {
  const auto count = static_cast<double>(numbers.size());
  double mean = 0, squares = 0;
  for (const double number : numbers) mean += number / count;
  for (const double number : numbers) squares += (number - mean) * (number - mean);
  return squares / (count - 1) * count;
}

// By the formula, in double: what the transform `coefficients` of the block hides.
double hidden_by(const std::vector<int>& block, const int32_t* coefficients, const Weights& weights) {
  std::vector<double> quarters[4];
  for (size_t i = 0; i < block.size(); ++i) quarters[i / 32 * 2 + i % 8 / 4].push_back(block[i]);
  double detail = 0, energy = 0;
  for (const std::vector<double>& quarter : quarters) detail += variance_sum(quarter);
  for (int i = 1; i < kBlockSamples; ++i)
    energy += std::pow(coefficients[i], 2) * static_cast<double>(weights.masking[i]);
  return std::sqrt(energy * detail / variance_sum({block.begin(), block.end()})) / 32;
}

// One block that is half flat and half noise, whose quarters vary less than all of it, against one that has
// more.
TEST(PsnrHvsErrorSum, IsWhatIsLeftOfErrorsAboveWhatTheMoreDetailedHides) {
  const Weights weights = weights_of(0);
  std::vector<int> blocks_of[2];
  int32_t blocks[2][kBlockSamples];
  DecodedPlane planes[2] = {{8, 8, 8}, {8, 8, 8}};
  for (int k = 0; k < 2; ++k) {
    std::minstd_rand random(9);
    const auto noise = [&](int levels) { return static_cast<int>(random() >> 8) % levels; };
    planes[k].fill([&](int x, int) { return x < 4 ? 60 + noise(8 + 22 * k) : 180 + noise(40); });
    for (int i = 0; i < kBlockSamples; ++i) blocks_of[k].push_back(planes[k].at(i % 8, i / 8));
    std::copy(blocks_of[k].begin(), blocks_of[k].end(), blocks[k]);
    transform(blocks[k]);
  }
  const double hidden[2] = {hidden_by(blocks_of[0], blocks[0], weights),
                            hidden_by(blocks_of[1], blocks[1], weights)};
  EXPECT_GT(hidden[1], 1.05 * hidden[0]);
  double expected = 0;
  for (int i = 0; i < kBlockSamples; ++i) {
    const double error = std::abs(blocks[0][i] - blocks[1][i]);
    const double seen =
        i == 0 ? error : std::max(0.0, error - hidden[1] / static_cast<double>(weights.masking[i]));
    expected += std::pow(seen * static_cast<double>(weights.contrast[i]), 2);
  }
  EXPECT_GT(expected, 100);
  for (const Implementation& one : implementations()) {
    EXPECT_NEAR(error_sum(one, samples(planes[0]), samples(planes[1])) / expected, 1, 1e-4) << one.name;
  }
}

TEST(PsnrHvsErrorSum, BringsThe8BitsOfAnEncodeToThe10OfItsSource) {
  const DecodedPlane eight = noise_plane({40, 30}, 8, 3), other = noise_plane({40, 30}, 10, 4);
  DecodedPlane ten(40, 30, 10);
  ten.fill([&](int x, int y) { return eight.at(x, y) * 4; });
  for (const Implementation& one : implementations()) {
    EXPECT_EQ(error_sum(one, samples(eight, 2), samples(ten)), 0) << one.name;
    EXPECT_EQ(error_sum(one, samples(eight, 2), samples(other)), error_sum(one, samples(ten), samples(other)))
        << one.name;
  }
}

// What the last whole block misses is not looked at.
TEST(PsnrHvsErrorSum, LooksAtEverySampleOfTheBlocksAndNoOther) {
  const DecodedPlane a = DecodedPlane(20, 17, 8).flat(50);
  DecodedPlane b(20, 17, 8);
  for (const Implementation& one : implementations()) {
    for (int y = 0; y < 17; ++y) {
      for (int x = 0; x < 20; ++x) {
        b.flat(50).set(x, y, 150);
        ASSERT_EQ(error_sum(one, samples(a), samples(b)) > 0, x < 15 && y < 15)
            << one.name << ", " << x << ", " << y;
      }
    }
  }
}

// Numbers of blocks around the lengths of vectors, and what bands held before.
void compare_with_scalar(int depth_a, int depth_b, int shift_a, int shift_b) {
  for (int width = 8; width <= 260; width += 9) {
    const auto seed = static_cast<unsigned>(width);
    const DecodedPlane a = noise_plane({width, 23}, depth_a, seed);
    DecodedPlane b = noise_plane({width, 23}, depth_b, seed + 1);
    // The left half is nearly the same.
    for (int y = 0; y < 23; ++y) {
      for (int x = 0; x < width / 2; ++x)
        b.set(x, y, (a.at(x, y) << shift_a >> shift_b) ^ (x * y % 3 == 0 ? 1 : 0));
    }
    Bands bands(300);
    const Samples first = samples(a, shift_a), second = samples(b, shift_b);
    for (int plane = 0; plane < kMaxPlanes; ++plane) {
      const float expected = scalar::error_sum(first, second, weights_of(plane), bands);
      for (const Implementation& one : implementations()) {
        ASSERT_EQ(one(first, second, weights_of(plane), bands), expected)
            << one.name << ", width " << width << ", plane " << plane;
        ASSERT_EQ(one(second, first, weights_of(plane), bands), expected) << one.name << ", exchanged";
      }
    }
  }
}

TEST(PsnrHvsErrorSum, EveryImplementationEqualsScalarWhateverTypesAndShifts) {
  compare_with_scalar(8, 8, 0, 0);
  compare_with_scalar(8, 12, 4, 0);
  compare_with_scalar(10, 8, 0, 2);
  compare_with_scalar(12, 12, 0, 0);
}

TEST(PsnrHvsErrorSum, HasRoomForTheLargestDifferences) {
  DecodedPlane a(64, 64, 12), b(64, 64, 12);
  a.fill([](int x, int y) { return (x + y) % 2 == 0 ? 4095 : 0; });
  b.fill([](int x, int y) { return (x + y) % 2 == 0 ? 0 : 4095; });
  Bands bands(64);
  const float expected = scalar::error_sum(samples(a), samples(b), weights_of(1), bands);
  EXPECT_TRUE(std::isfinite(expected) && expected > 0);
  for (const Implementation& one : implementations()) {
    EXPECT_EQ(one(samples(a), samples(b), weights_of(1), bands), expected) << one.name;
  }
}

}  // namespace
}  // namespace vq::psnr_hvs
