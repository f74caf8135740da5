// Figures of maps.
#include "feature/butteraugli/butteraugli.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace vq::butteraugli {
namespace {

std::vector<TileSums> sums_of(const std::vector<float>& map, PlaneSize size) {
  const auto across = static_cast<size_t>(tiles_across(size.width));
  std::vector<TileSums> tiles(across * static_cast<size_t>(tiles_across(size.height)));
  for (size_t row = 0; row < tiles.size() / across; ++row) {
    std::vector<const float*> rows;
    for (size_t y = row * kTile; y < std::min<size_t>((row + 1) * kTile, static_cast<size_t>(size.height));
         ++y)
      rows.push_back(map.data() + y * static_cast<size_t>(size.width));
    sum_tiles(rows, size.width, std::span(tiles).subspan(row * across, across));
  }
  return tiles;
}

double norm(const std::vector<float>& map, double p) {
  double sum = 0;
  for (const float d : map) sum += std::pow(static_cast<double>(d), p);
  return std::pow(sum / static_cast<double>(map.size()), 1 / p);
}

void expect_norms(const std::vector<float>& map, PlaneSize size) {
  const Figures figures = figures_of(sums_of(map, size), size);
  EXPECT_EQ(figures.maximum, *std::max_element(map.begin(), map.end()));
  EXPECT_NEAR(figures.norm2 / norm(map, 2), 1, 1e-6);
  EXPECT_NEAR(figures.norm3 / norm(map, 3), 1, 1e-6);
  EXPECT_NEAR(figures.three_norms / ((norm(map, 3) + norm(map, 6) + norm(map, 12)) / 3), 1, 1e-6);
}

TEST(ButteraugliNorms, CubeRootsAreExactToALastDigit) {
  for (double x = 1e-250; x < 1e250; x *= 137.3) EXPECT_NEAR(cube_root(x) / std::cbrt(x), 1, 5e-16) << x;
  EXPECT_EQ(cube_root(0), 0);
  EXPECT_EQ(cube_root(27), 3);
}

TEST(ButteraugliNorms, OfNothingAre0) {
  const std::vector<float> map(20 * 17, 0.0F);
  const Figures figures = figures_of(sums_of(map, {20, 17}), {20, 17});
  EXPECT_EQ(figures.maximum, 0);
  EXPECT_EQ(figures.three_norms, 0);
  EXPECT_EQ(figures.norm3, 0);
  EXPECT_EQ(figures.norm2, 0);
}

TEST(ButteraugliNorms, OfAFlatMapAreItsValue) {
  for (const float value : {1e-12F, 0.3F, 1.0F, 1500.0F, 1e12F}) {
    const std::vector<float> map(16 * 32, value);
    const Figures figures = figures_of(sums_of(map, {16, 32}), {16, 32});
    EXPECT_EQ(figures.maximum, value);
    for (const double each : {figures.three_norms, figures.norm3, figures.norm2})
      EXPECT_NEAR(each / value, 1, 1e-7) << value;
  }
}

// The twelfth powers of what lies apart by many orders of magnitude would leave a float's range.
TEST(ButteraugliNorms, AreThoseOfPowersInDouble) {
  std::minstd_rand random(1);
  for (const double spread : {1.0, 4.0, 12.0}) {
    for (const PlaneSize size : {PlaneSize{8, 8}, PlaneSize{16, 16}, PlaneSize{37, 50}, PlaneSize{129, 33}}) {
      std::vector<float> map(static_cast<size_t>(size.width) * static_cast<size_t>(size.height));
      for (float& d : map)
        d = static_cast<float>(std::pow(10.0, -spread * static_cast<double>(random() % 1000) / 1000 + 3));
      expect_norms(map, size);
    }
  }
}

// A sample counts, wherever it is.
TEST(ButteraugliNorms, HaveEverySampleOfEveryTile) {
  constexpr PlaneSize kSize = {35, 19};
  for (int i = 0; i < kSize.width * kSize.height; ++i) {
    std::vector<float> map(static_cast<size_t>(kSize.width) * kSize.height, 0.0F);
    map[static_cast<size_t>(i)] = 2;
    const Figures figures = figures_of(sums_of(map, kSize), kSize);
    ASSERT_EQ(figures.maximum, 2) << i;
    ASSERT_DOUBLE_EQ(figures.norm2, std::sqrt(4.0 / (kSize.width * kSize.height))) << i;
  }
}

}  // namespace
}  // namespace vq::butteraugli
