// The sum of visible errors: every implementation against the scalar one.
#include "feature/psnr_hvs/psnr_hvs.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/implementations.h"

namespace vq::psnr_hvs {
namespace {

using namespace vq::test;
using Implementation = vq::test::Implementation<decltype(&scalar::error_sum)>;

std::vector<Implementation> implementations() {
  return vq::test::all_implementations(&scalar::error_sum, simd::error_sum_for);
}

Samples samples(const DecodedPlane& plane, int shift = 0) { return {.view = plane.view(), .shift = shift}; }

float error_sum(const Implementation& one, const Samples& a, const Samples& b) {
  Bands bands(a.view.width());
  return one(a, b, weights_of(0), bands);
}

void expect_scalar(const Samples& a, const Samples& b, int component = 0) {
  const Weights weights = weights_of(component);
  Bands bands(a.view.width() + 40);
  const float expected = scalar::error_sum(a, b, weights, bands);
  for (const Implementation& one : implementations()) {
    ASSERT_EQ(one(a, b, weights, bands), expected)
        << one.name << ", " << a.view.width() << "x" << a.view.height() << ", component " << component;
    ASSERT_EQ(one(b, a, weights, bands), expected) << one.name << ", exchanged";
  }
}

// Numbers of blocks around the lengths of vectors.
TEST(PsnrHvsErrorSum, EveryImplementationEqualsScalarWhateverTypesAndShifts) {
  struct Depths {
    int a, b, shift_a, shift_b;
  };
  for (const auto& [depth_a, depth_b, shift_a, shift_b] :
       {Depths{8, 8, 0, 0}, {8, 12, 4, 0}, {10, 8, 0, 2}, {9, 12, 3, 0}, {12, 12, 0, 0}}) {
    for (int width = 8; width <= 260; width += 9) {
      const auto seed = static_cast<unsigned>(width);
      const DecodedPlane a = noise_plane({width, 23}, depth_a, seed);
      DecodedPlane b = noise_plane({width, 23}, depth_b, seed + 1);
      // The left half is nearly the same.
      for (int y = 0; y < 23; ++y) {
        for (int x = 0; x < width / 2; ++x)
          b.set(x, y, (a.at(x, y) << shift_a >> shift_b) ^ (x * y % 3 == 0 ? 1 : 0));
      }
      for (int component = 0; component < kMaxPlanes; ++component)
        expect_scalar(samples(a, shift_a), samples(b, shift_b), component);
    }
  }
  for (const PlaneSize size : {PlaneSize{8, 8}, {9, 8}, {14, 15}, {15, 15}, {16, 22}, {65, 40}, {201, 93}}) {
    for (const int depth : {8, 10, 12}) {
      const DecodedPlane a = noise_plane(size, depth, 1), b = noise_plane(size, depth, 2);
      expect_scalar(samples(a), samples(b), depth / 2 % 3);
    }
  }
}

// Detail of all sizes, with errors that grow with it.
DecodedPlane picture(PlaneSize size, int depth, unsigned seed, int most_error) {
  std::minstd_rand random(seed);
  const double peak = (1 << depth) - 1;
  return DecodedPlane(size.width, size.height, depth).fill([&](int x, int y) {
    const double wave = std::sin(x * 0.02) * std::cos(y * 0.03) + std::sin(x * y * 0.001) / 3;
    const int error = most_error == 0 ? 0 : static_cast<int>(random() % (2U * most_error + 1)) - most_error;
    return std::clamp(peak * (0.5 + wave * 0.35) + error, 0.0, peak);
  });
}

// Where most is masked, and the sum runs through many powers of 2.
TEST(PsnrHvsErrorSum, EveryImplementationEqualsScalarOfPictures) {
  for (const int most_error : {1, 2, 5, 20}) {
    const DecodedPlane bytes = picture({640, 360}, 8, 1, 0), words = picture({333, 240}, 10, 3, 0);
    expect_scalar(samples(bytes), samples(picture({640, 360}, 8, 2, most_error)));
    expect_scalar(samples(words), samples(picture({333, 240}, 10, 4, most_error)), 1);
  }
  const DecodedPlane flat = DecodedPlane(100, 60, 8).flat(128), black = DecodedPlane(100, 60, 8).flat(0),
                     detail = picture({100, 60}, 8, 1, 9);
  for (const auto* const a : {&flat, &black, &detail}) {
    for (const auto* const b : {&flat, &black, &detail}) expect_scalar(samples(*a), samples(*b));
  }
}

// The sum leaves 0 only in the last blocks, or at once and never grows again.
TEST(PsnrHvsErrorSum, EveryImplementationEqualsScalarOfSingleErrors) {
  const DecodedPlane flat = DecodedPlane(640, 360, 8).flat(100);
  for (const auto& [x, y] : {std::pair{0, 0}, {636, 355}, {320, 180}}) {
    for (const int error : {1, 100}) {
      DecodedPlane other = flat;
      other.set(x, y, 100 + error);
      expect_scalar(samples(flat), samples(other));
    }
  }
}

// Terms that lie exactly between two multiples of the sum's unit: differences in the mean alone, of equal
// size.
TEST(PsnrHvsErrorSum, RoundsTiesToEven) {
  const DecodedPlane flat = DecodedPlane(400, 120, 8).flat(100);
  for (int step = 1; step <= 40; ++step) {
    DecodedPlane other(400, 120, 8);
    other.fill([&](int x, int) { return 100 + (x > 300 ? 1 : step); });
    expect_scalar(samples(flat), samples(other));
  }
}

TEST(PsnrHvsErrorSum, HasRoomForTheLargestDifferences) {
  DecodedPlane a(64, 64, 12), b(64, 64, 12);
  a.fill([](int x, int y) { return (x + y) % 2 == 0 ? 4095 : 0; });
  b.fill([](int x, int y) { return (x + y) % 2 == 0 ? 0 : 4095; });
  const float expected = error_sum(implementations()[0], samples(a), samples(b));
  EXPECT_TRUE(std::isfinite(expected) && expected > 0);
  expect_scalar(samples(a), samples(b), 1);
}

// On a device more than one slice, of which the last is not full.
TEST(PsnrHvsErrorSum, EveryImplementationEqualsScalarOfLargePictures) {
  const int side = 7 * 420 + 1;
  DecodedPlane a(side, side, 8), b(side, side, 8);
  a.fill([](int x, int y) { return (x * 7 + y * 13 + x * y / 50) % 256; });
  b.fill([&](int x, int y) { return a.at(x, y) / 4 * 4; });
  expect_scalar(samples(a), samples(b));
}

}  // namespace
}  // namespace vq::psnr_hvs
