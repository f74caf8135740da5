// Maps of whole pictures: figures of a slow program of its own, by NumPy, and what holds for all pictures and
// for the norms of any map.
#include "feature/butteraugli/butteraugli.h"
#include "tests/butteraugli/implementations.h"

namespace vq::butteraugli::test {
namespace {

// Light that a formula gives. `kind` 0 and 1 differ.
LightSource drawn(PlaneSize size, int kind) {
  return [=](int y, const Rows3<float>& out) {
    for (int c = 0; c < 3; ++c) {
      for (int x = 0; x < size.width; ++x) {
        const int value =
            x * (7 + 2 * c) + y * (13 - 3 * c) + x * y * (c + 1) + kind * ((x * x + 3 * y + c) % 5);
        out[static_cast<size_t>(c)][x] = static_cast<float>(value % 64) / 64;
      }
    }
  };
}

struct Setting {
  PlaneSize size = {};
  float intensity = 80;
  double asymmetry = 1;
};

std::vector<float> map_of(const Setting& setting, const Stages& stages, int reference, int distorted) {
  const std::vector<ScalePlan> scales = make_scales(setting.size);
  const Weights weights = make_weights(setting.asymmetry);
  ScaledBands bands(scales, stages, setting.intensity);
  DifferenceMap map({scales, weights, stages, setting.intensity}, bands);
  // The second time is as the first.
  std::vector<float> samples;
  for (int time = 0; time < 2; ++time) {
    samples.clear();
    const LightSource a = drawn(setting.size, reference), b = drawn(setting.size, distorted);
    bands.start({a, a});
    map.start({b, b});
    for (int y = 0; y < setting.size.height; ++y) {
      const float* const row = map.row(y);
      samples.insert(samples.end(), row, row + setting.size.width);
    }
  }
  return samples;
}

Figures figures_of(const std::vector<float>& map, PlaneSize size) {
  const auto across = static_cast<size_t>(tiles_across(size.width));
  std::vector<TileSums> tiles(across * static_cast<size_t>(tiles_across(size.height)));
  for (size_t row = 0; row < tiles.size() / across; ++row) {
    std::vector<const float*> rows;
    for (size_t y = row * kTile; y < std::min<size_t>((row + 1) * kTile, static_cast<size_t>(size.height));
         ++y)
      rows.push_back(map.data() + y * static_cast<size_t>(size.width));
    sum_tiles(rows, size.width, std::span(tiles).subspan(row * across, across));
  }
  return figures_of(tiles, size);
}

TEST(ButteraugliMap, EveryImplementationEqualsScalar) {
  for (const PlaneSize size : {PlaneSize{8, 8}, PlaneSize{9, 40}, PlaneSize{33, 15}, PlaneSize{71, 34},
                               PlaneSize{200, 8}, PlaneSize{129, 67}}) {
    vq::test::expect_same_of_all(implementations(),
                                 std::to_string(size.width) + "x" + std::to_string(size.height),
                                 [&](const Implementation& one) {
                                   const std::vector<float> map = map_of({size}, one.stages, 0, 1);
                                   return bits_of(map.data(), static_cast<int>(map.size()));
                                 });
  }
}

// Pictures read the reference in turn, some rows each; it makes each row once.
TEST(ButteraugliMap, PicturesMayShareAReferenceThatKeepsMoreRows) {
  for (const auto& [size, behind] : {std::pair{PlaneSize{33, 70}, 32}, std::pair{PlaneSize{40, 33}, 16},
                                     std::pair{PlaneSize{17, 101}, 2}}) {
    const Stages stages = scalar::kStages;
    const std::vector<ScalePlan> scales = make_scales(size);
    const Weights weights = make_weights(1);
    ScaledBands bands(scales, stages, 80, behind);
    int read = 0;
    const LightSource whole = drawn(size, 0);
    const LightSource counted = [&](int y, const Rows3<float>& out) { whole(y, out), ++read; };
    bands.start({counted, whole});
    std::array<std::vector<float>, 3> found;
    std::vector<std::unique_ptr<DifferenceMap>> maps;
    for (int i = 0; i < 3; ++i) {
      maps.push_back(std::make_unique<DifferenceMap>(MapSetting{scales, weights, stages, 80}, bands));
      maps.back()->start({drawn(size, i), drawn(size, i)});
    }
    for (int first = 0; first < size.height; first += behind) {
      for (size_t i = 0; i < maps.size(); ++i) {
        for (int y = first; y < std::min(first + behind, size.height); ++y) {
          const float* const row = maps[i]->row(y);
          found[i].insert(found[i].end(), row, row + size.width);
        }
      }
    }
    EXPECT_EQ(read, size.height);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(found[static_cast<size_t>(i)], map_of({size}, stages, 0, i)) << i;
  }
}

TEST(ButteraugliMap, SmallPicturesHaveNoHalfScale) {
  EXPECT_EQ(make_scales({7, 100}).size(), 0U);
  EXPECT_EQ(make_scales({8, 14}).size(), 1U);
  EXPECT_EQ(make_scales({100, 14}).size(), 1U);
  ASSERT_EQ(make_scales({15, 16}).size(), 2U);
  EXPECT_EQ(make_scales({15, 16})[1].size, (PlaneSize{8, 8}));
}

TEST(ButteraugliNorms, HaveEverySampleOfEveryTile) {
  constexpr PlaneSize kSize = {35, 19};
  for (int i = 0; i < kSize.width * kSize.height; ++i) {
    std::vector<float> map(static_cast<size_t>(kSize.width) * kSize.height, 0.0F);
    map[static_cast<size_t>(i)] = 2;
    const Figures figures = figures_of(map, kSize);
    ASSERT_EQ(figures.maximum, 2) << i;
    ASSERT_DOUBLE_EQ(figures.norm2, std::sqrt(4.0 / (kSize.width * kSize.height))) << i;
  }
}

}  // namespace
}  // namespace vq::butteraugli::test
