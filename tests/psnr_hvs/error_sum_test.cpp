// The transform and the sum of visible errors: examples, and every implementation against the scalar one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "feature/psnr_hvs/stages.h"
#include "feature/simd_targets.h"

namespace vq::psnr_hvs {
namespace {

struct Implementation {
  std::string name;
  ErrorSum error_sum;
};

// All that this machine can run.
std::vector<Implementation> implementations() {
  std::vector<Implementation> found = {{"scalar", scalar::error_sum}};
  for (const SimdTarget& target : allowed_simd_targets(0)) {
    found.push_back({target.name, simd::error_sum_for(target.id)});
  }
  return found;
}

// A plane as decoders hand it out, whose memory ends with the last sample.
template <typename T>
class DecodedPlane {
 public:
  DecodedPlane(int width, int height, int padding = 0)
      : width_(width), height_(height), stride_(width + padding),
        samples_(static_cast<size_t>(stride_ * (height - 1) + width)) {}

  T& at(int x, int y) { return samples_[static_cast<size_t>(stride_ * y + x)]; }
  // Of any function of column and row.
  template <typename Value>
  void fill(const Value& value) {
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) at(x, y) = static_cast<T>(value(x, y));
    }
  }
  void fill_with_noise(unsigned seed, int levels, int from = 0) {
    std::minstd_rand random(seed);
    fill([&](int, int) { return from + static_cast<int>(random() >> 8) % levels; });
  }
  Samples samples(int shift = 0) const {
    Samples samples{.view = {}, .shift = shift};
    const PlaneView<const T> plane = {samples_.data(), width_, height_, stride_};
    if constexpr (sizeof(T) == 1) {
      samples.view.u8 = plane;
    } else {
      samples.view.u16 = plane;
    }
    return samples;
  }

 private:
  int width_, height_, stride_;
  std::vector<T> samples_;
};

float error_sum(const Implementation& one, const Samples& a, const Samples& b) {
  Bands bands(a.view.width());
  return one.error_sum(a, b, weights_of(0), bands);
}

int32_t mean_coefficient(int level) {
  int32_t block[kBlockSamples];
  std::fill_n(block, kBlockSamples, level);
  transform(block);
  for (int i = 1; i < kBlockSamples; ++i) EXPECT_EQ(block[i], 0) << i;
  return block[0];
}

// The transform is eight times the mean at frequency 0, but for rounding, and has no other part of a flat block.
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
          sum += block[kBlockSide * y + x] * std::cos((2 * y + 1) * v * M_PI / 16) * std::cos((2 * x + 1) * h * M_PI / 16);
        }
      }
      expected[static_cast<size_t>(kBlockSide * v + h)] = sum / 4 * (v == 0 ? M_SQRT1_2 : 1) * (h == 0 ? M_SQRT1_2 : 1);
    }
  }
  transform(block);
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(block[i], expected[i], 3) << i;
}

// All of it is in frequency 0, where nothing is hidden: (8 * 10 * weight)^2 for each of six blocks.
TEST(PsnrHvsErrorSum, OfABrighterFlatPictureIsThatOfTheMean) {
  DecodedPlane<uint8_t> a(22, 15), b(22, 15);
  a.fill([](int, int) { return 100; });
  b.fill([](int, int) { return 110; });
  const float error = static_cast<float>(mean_coefficient(110) - mean_coefficient(100)) * 1.6193873005F;
  EXPECT_NEAR(error, 80 * 1.6193873005, 2);
  float expected = 0;
  for (int block = 0; block < 6; ++block) expected += error * error;
  for (const Implementation& one : implementations()) {
    EXPECT_EQ(error_sum(one, a.samples(), b.samples()), expected) << one.name;
    EXPECT_EQ(error_sum(one, a.samples(), a.samples()), 0) << one.name;
  }
}

// Noise that is added to noise is hidden in part; to a flat picture of the same mean it is not.
TEST(PsnrHvsErrorSum, DetailHidesErrors) {
  DecodedPlane<uint8_t> flat(64, 64), noise(64, 64), on_flat(64, 64), on_noise(64, 64);
  flat.fill([](int, int) { return 120; });
  noise.fill_with_noise(1, 100, 70);
  const auto dither = [](int x, int y) { return (x + y) % 2 == 0 ? 2 : -2; };
  on_flat.fill([&](int x, int y) { return 120 + dither(x, y); });
  on_noise.fill([&](int x, int y) { return noise.at(x, y) + dither(x, y); });
  for (const Implementation& one : implementations()) {
    EXPECT_GT(error_sum(one, flat.samples(), on_flat.samples()), 2 * error_sum(one, noise.samples(), on_noise.samples()))
        << one.name;
    EXPECT_GT(error_sum(one, flat.samples(), on_flat.samples()), 0) << one.name;
  }
}

// Of some numbers, the sum of squares about their mean as their unbiased variance has it, times how many there are.
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
  for (int i = 1; i < kBlockSamples; ++i) energy += std::pow(coefficients[i], 2) * static_cast<double>(weights.masking[i]);
  return std::sqrt(energy * detail / variance_sum({block.begin(), block.end()})) / 32;
}

// One block that is half flat and half noise, whose quarters vary less than all of it, against one that has more.
TEST(PsnrHvsErrorSum, IsWhatIsLeftOfErrorsAboveWhatTheMoreDetailedHides) {
  const Weights weights = weights_of(0);
  std::vector<int> samples[2];
  int32_t blocks[2][kBlockSamples];
  DecodedPlane<uint8_t> planes[2] = {{8, 8}, {8, 8}};
  for (int k = 0; k < 2; ++k) {
    std::minstd_rand random(9);
    const auto noise = [&](int levels) { return static_cast<int>(random() >> 8) % levels; };
    planes[k].fill([&](int x, int) { return x < 4 ? 60 + noise(8 + 22 * k) : 180 + noise(40); });
    for (int i = 0; i < kBlockSamples; ++i) samples[k].push_back(planes[k].at(i % 8, i / 8));
    std::copy(samples[k].begin(), samples[k].end(), blocks[k]);
    transform(blocks[k]);
  }
  const double hidden[2] = {hidden_by(samples[0], blocks[0], weights), hidden_by(samples[1], blocks[1], weights)};
  EXPECT_GT(hidden[1], 1.05 * hidden[0]);
  double expected = 0;
  for (int i = 0; i < kBlockSamples; ++i) {
    const double error = std::abs(blocks[0][i] - blocks[1][i]);
    const double seen = i == 0 ? error : std::max(0.0, error - hidden[1] / static_cast<double>(weights.masking[i]));
    expected += std::pow(seen * static_cast<double>(weights.contrast[i]), 2);
  }
  EXPECT_GT(expected, 100);
  for (const Implementation& one : implementations()) {
    EXPECT_NEAR(error_sum(one, planes[0].samples(), planes[1].samples()) / expected, 1, 1e-4) << one.name;
  }
}

TEST(PsnrHvsErrorSum, BringsThe8BitsOfAnEncodeToThe10OfItsSource) {
  DecodedPlane<uint8_t> eight(40, 30);
  DecodedPlane<uint16_t> ten(40, 30), other(40, 30);
  eight.fill_with_noise(3, 256);
  ten.fill([&](int x, int y) { return eight.at(x, y) * 4; });
  other.fill_with_noise(4, 1024);
  for (const Implementation& one : implementations()) {
    EXPECT_EQ(error_sum(one, eight.samples(2), ten.samples()), 0) << one.name;
    EXPECT_EQ(error_sum(one, eight.samples(2), other.samples()), error_sum(one, ten.samples(), other.samples())) << one.name;
  }
}

// What the last whole block misses is not looked at.
TEST(PsnrHvsErrorSum, LooksAtEverySampleOfTheBlocksAndNoOther) {
  DecodedPlane<uint8_t> a(20, 17), b(20, 17);
  a.fill([](int, int) { return 50; });
  for (const Implementation& one : implementations()) {
    for (int y = 0; y < 17; ++y) {
      for (int x = 0; x < 20; ++x) {
        b.fill([](int, int) { return 50; });
        b.at(x, y) = 150;
        ASSERT_EQ(error_sum(one, a.samples(), b.samples()) > 0, x < 15 && y < 15) << one.name << ", " << x << ", " << y;
      }
    }
  }
}

// Numbers of blocks around the lengths of vectors, and what bands held before.
template <typename A, typename B>
void compare_with_scalar(int shift_a, int shift_b, int depth) {
  for (int width = 8; width <= 260; width += 9) {
    DecodedPlane<A> a(width, 23, width % 5);
    DecodedPlane<B> b(width, 23, width % 7);
    a.fill_with_noise(static_cast<unsigned>(width), 1 << (depth - shift_a));
    b.fill_with_noise(static_cast<unsigned>(width) + 1, 1 << (depth - shift_b));
    // The left half is nearly the same.
    for (int y = 0; y < 23; ++y) {
      for (int x = 0; x < width / 2; ++x) b.at(x, y) = static_cast<B>((a.at(x, y) << shift_a >> shift_b) ^ (x * y % 3 == 0));
    }
    Bands bands(300);
    const Samples first = a.samples(shift_a), second = b.samples(shift_b);
    for (int plane = 0; plane < kMaxPlanes; ++plane) {
      const float expected = scalar::error_sum(first, second, weights_of(plane), bands);
      for (const Implementation& one : implementations()) {
        ASSERT_EQ(one.error_sum(first, second, weights_of(plane), bands), expected)
            << one.name << ", width " << width << ", plane " << plane;
        ASSERT_EQ(one.error_sum(second, first, weights_of(plane), bands), expected) << one.name << ", exchanged";
      }
    }
  }
}

TEST(PsnrHvsErrorSum, EveryImplementationEqualsScalarWhateverTypesAndShifts) {
  compare_with_scalar<uint8_t, uint8_t>(0, 0, 8);
  compare_with_scalar<uint8_t, uint16_t>(4, 0, 12);
  compare_with_scalar<uint16_t, uint8_t>(0, 2, 10);
  compare_with_scalar<uint16_t, uint16_t>(0, 0, 12);
}

TEST(PsnrHvsErrorSum, HasRoomForTheLargestDifferences) {
  DecodedPlane<uint16_t> a(64, 64), b(64, 64);
  a.fill([](int x, int y) { return (x + y) % 2 == 0 ? 4095 : 0; });
  b.fill([](int x, int y) { return (x + y) % 2 == 0 ? 0 : 4095; });
  Bands bands(64);
  const float expected = scalar::error_sum(a.samples(), b.samples(), weights_of(1), bands);
  EXPECT_TRUE(std::isfinite(expected) && expected > 0);
  for (const Implementation& one : implementations()) {
    EXPECT_EQ(one.error_sum(a.samples(), b.samples(), weights_of(1), bands), expected) << one.name;
  }
}

}  // namespace
}  // namespace vq::psnr_hvs
