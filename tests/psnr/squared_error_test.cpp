#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "feature/psnr/stages.h"
#include "feature/simd_targets.h"

namespace vq::psnr {
namespace {

struct Implementation {
  std::string name;
  SquaredError squared_error;
};

// All that this machine can run.
std::vector<Implementation> implementations() {
  std::vector<Implementation> found = {{"scalar", scalar::squared_error}};
  for (const SimdTarget& target : allowed_simd_targets(0)) {
    found.push_back({target.name, simd::squared_error_for(target.id)});
  }
  return found;
}

// A plane as decoders hand it out, at an odd offset. Memory ends with the last sample, so that sanitizers see
// who reads on; between rows lies noise.
template <typename T>
class DecodedPlane {
 public:
  DecodedPlane(int width, int height, int padding, unsigned seed)
      : width_(width), height_(height), stride_(width + padding) {
    std::minstd_rand random(seed);
    samples_.resize(static_cast<size_t>(stride_) * static_cast<size_t>(height - 1) +
                    static_cast<size_t>(width) + 1);
    for (T& sample : samples_) sample = static_cast<T>(random() >> 7);
  }

  T& at(int x, int y) { return samples_[static_cast<size_t>(y * stride_ + x + 1)]; }
  void fill(T value) {
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) at(x, y) = value;
    }
  }
  Samples samples(int shift = 0) const {
    Samples samples{.view = {}, .shift = shift};
    const PlaneView<const T> plane{samples_.data() + 1, width_, height_, stride_};
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

template <typename T>
DecodedPlane<T> plane_of(const std::vector<std::vector<T>>& rows) {
  DecodedPlane<T> plane(static_cast<int>(rows[0].size()), static_cast<int>(rows.size()), 3, 1);
  for (size_t y = 0; y < rows.size(); ++y) {
    for (size_t x = 0; x < rows[y].size(); ++x)
      plane.at(static_cast<int>(x), static_cast<int>(y)) = rows[y][x];
  }
  return plane;
}

TEST(PsnrSquaredError, IsTheSumOfSquaredDifferences) {
  const auto a = plane_of<uint8_t>({{10, 20, 0}, {30, 40, 255}});
  const auto b = plane_of<uint8_t>({{13, 16, 0}, {30, 50, 0}});
  for (const Implementation& implementation : implementations()) {
    EXPECT_EQ(implementation.squared_error(a.samples(), b.samples()), 9u + 16 + 100 + 255 * 255)
        << implementation.name;
  }
}

TEST(PsnrSquaredError, BringsThe8BitsOfAnEncodeToThe10OfItsSource) {
  const auto source = plane_of<uint16_t>({{41, 80, 1023}, {0, 161, 3}});
  const auto encode = plane_of<uint8_t>({{10, 20, 255}, {1, 40, 0}});
  for (const Implementation& implementation : implementations()) {
    EXPECT_EQ(implementation.squared_error(source.samples(), encode.samples(2)), 1u + 0 + 9 + 16 + 1 + 9)
        << implementation.name;
  }
}

// Rows as long as a vector or not, of all lengths up to two of the longest.
template <typename A, typename B>
void compare_with_scalar(int shift_a, int shift_b) {
  for (const Implementation& implementation : implementations()) {
    for (int width = 1; width <= 130; ++width) {
      const int height = 1 + width * 7 % 11;
      const auto seed = static_cast<unsigned>(width);
      const DecodedPlane<A> a(width, height, width % 5, seed);
      const DecodedPlane<B> b(width, height, width % 7, seed + 1000);
      const Samples first = a.samples(shift_a), second = b.samples(shift_b);
      ASSERT_EQ(implementation.squared_error(first, second), scalar::squared_error(first, second))
          << implementation.name << ", " << width << "x" << height << ", shifts " << shift_a << ", "
          << shift_b;
    }
  }
}

TEST(PsnrSquaredError, EveryImplementationEqualsScalarWhateverTypesAndShifts) {
  for (const auto& [shift_a, shift_b] :
       std::vector<std::pair<int, int>>{{0, 0}, {2, 0}, {0, 2}, {4, 4}, {3, 1}, {8, 0}, {0, 8}, {8, 8}}) {
    compare_with_scalar<uint8_t, uint8_t>(shift_a, shift_b);
    compare_with_scalar<uint8_t, uint16_t>(shift_a, shift_b);
    compare_with_scalar<uint16_t, uint8_t>(shift_a, shift_b);
    compare_with_scalar<uint16_t, uint16_t>(shift_a, shift_b);
  }
}

TEST(PsnrSquaredError, CountsEachSampleOnce) {
  for (const Implementation& implementation : implementations()) {
    for (int width = 1; width <= 130; ++width) {
      DecodedPlane<uint8_t> a(width, 2, 3, 7), b(width, 2, 4, 8);
      DecodedPlane<uint16_t> deep(width, 2, 5, 9);
      a.fill(100);
      b.fill(100);
      deep.fill(100);
      for (const int x : {0, width / 2, width - 1}) {
        a.at(x, 1) = 103;
        ASSERT_EQ(implementation.squared_error(a.samples(), b.samples()), 9u)
            << implementation.name << ", x=" << x << " of " << width;
        ASSERT_EQ(implementation.squared_error(deep.samples(), a.samples()), 9u)
            << implementation.name << ", x=" << x << " of " << width;
        a.at(x, 1) = 100;
      }
    }
  }
}

// A plane of the largest width with one row for all its rows.
template <typename T>
Samples repeated_row(const std::vector<T>& row, int height) {
  Samples samples;
  const PlaneView<const T> plane{row.data(), kMaxSide, height, 0};
  if constexpr (sizeof(T) == 1) {
    samples.view.u8 = plane;
  } else {
    samples.view.u16 = plane;
  }
  return samples;
}

TEST(PsnrSquaredError, HasRoomForTheLargestErrorOfALargePlane) {
  const std::vector<uint16_t> black(kMaxSide), white(kMaxSide, 65535);
  for (const Implementation& implementation : implementations()) {
    EXPECT_EQ(implementation.squared_error(repeated_row(black, 1024), repeated_row(white, 1024)),
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
    const auto sum = implementation.squared_error;
    EXPECT_EQ(sum(repeated_row(white, 3), repeated_row(black, 3)), samples * 65535 * 65535);
    EXPECT_EQ(sum(repeated_row(white8, 3), repeated_row(black8, 3)), samples * 255 * 255);
    EXPECT_EQ(sum(repeated_row(black, 3), repeated_row(white8, 3)), samples * 255 * 255);
  }
}

// The bytes of a 16-bit difference are summed apart: each alone, and both.
TEST(PsnrSquaredError, HasRoomForEachByteOfADifference) {
  const std::vector<uint16_t> black(kMaxSide);
  for (const uint16_t level : {0x00FF, 0xFF00, 0x8000, 0x7FFF, 0x0100}) {
    const std::vector<uint16_t> grey(kMaxSide, level);
    for (const Implementation& implementation : implementations()) {
      EXPECT_EQ(implementation.squared_error(repeated_row(black, 2), repeated_row(grey, 2)),
                uint64_t{2} * kMaxSide * level * level)
          << implementation.name;
    }
  }
}

TEST(PsnrSquaredError, OfBandsAddsUpToThatOfThePlane) {
  const DecodedPlane<uint16_t> a(77, 20, 1, 5), b(77, 20, 2, 6);
  for (const Implementation& implementation : implementations()) {
    uint64_t sum = 0;
    for (const auto& [first, end] : {std::pair{0, 7}, {7, 8}, {8, 20}}) {
      Samples bands[] = {a.samples(), b.samples()};
      for (Samples& band : bands) {
        band.view.u16.data += first * band.view.u16.stride;
        band.view.u16.height = end - first;
      }
      sum += implementation.squared_error(bands[0], bands[1]);
    }
    EXPECT_EQ(sum, implementation.squared_error(a.samples(), b.samples())) << implementation.name;
  }
}

#if HWY_IS_DEBUG_BUILD
TEST(PsnrSquaredErrorDeathTest, PlanesAreOfOneSizeAndShiftsInRange) {
  const DecodedPlane<uint8_t> a(70, 4, 0, 1), shorter(70, 3, 0, 1), narrower(69, 4, 0, 1);
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    EXPECT_DEATH(implementation.squared_error(a.samples(), shorter.samples()), "Assert");
    EXPECT_DEATH(implementation.squared_error(a.samples(), narrower.samples()), "Assert");
    EXPECT_DEATH(implementation.squared_error(a.samples(9), a.samples()), "Assert");
    EXPECT_DEATH(implementation.squared_error(a.samples(), a.samples(-1)), "Assert");
  }
}
#endif

}  // namespace
}  // namespace vq::psnr
