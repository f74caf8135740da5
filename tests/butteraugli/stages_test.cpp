// The stages: every implementation against the scalar one. Maps of whole pictures: figures of a slow program
// of its own, by NumPy, and what holds for all pictures and for the norms of any map.
#include "feature/butteraugli/stages.h"
#include "feature/butteraugli/butteraugli.h"
#include "tests/butteraugli/implementations.h"

namespace vq::butteraugli::test {
namespace {

constexpr std::array kAllFilters = {kAroundFilter, kHighFilter, kActivityFilter, kMiddleFilter, kLowFilter};

// Runs `run(stages, out rows)` on each implementation, from the same rows, and compares what it leaves there.
template <typename Run>
void expect_same(int width, int rows, const Run& run) {
  std::vector<std::vector<uint32_t>> expected;
  for (const Implementation& one : implementations()) {
    RowRing out = noise(width, rows, 99);
    run(one.stages, out);
    std::vector<std::vector<uint32_t>> found;
    for (int y = 0; y < rows; ++y) found.push_back(bits_of(out.row(y), width));
    if (expected.empty()) expected = found;
    ASSERT_EQ(found, expected) << one.name << ", width " << width;
  }
}

std::vector<int> widths() {
  std::vector<int> all;
  for (int width = 1; width <= 70; ++width) all.push_back(width);
  all.insert(all.end(), {129, 255, 256, 257, 530});
  return all;
}

TEST(ButteraugliArithmetic, IsCloseToQuotientsRootsAndLogarithms) {
  for (float x = 1e-24F; x < 1e24F; x *= 1.37F) {
    EXPECT_NEAR(static_cast<double>(reciprocal(x)) * x, 1, 3e-7) << x;
    EXPECT_NEAR(static_cast<double>(root(x)) / std::sqrt(static_cast<double>(x)), 1, 3e-7) << x;
    EXPECT_NEAR(logarithm(x), std::log2(x), 1e-5) << x;
  }
  for (float b = 1e-6F; b < 1e6F; b *= 1.37F) {
    for (const float a : {1.0F, -0.7F, 24.3F}) EXPECT_EQ(quotient(a, b), a / b) << a << " / " << b;
  }
  EXPECT_EQ(root(0), 0);
}

TEST(ButteraugliFilters, EveryImplementationEqualsScalar) {
  for (const int width : widths()) {
    const RowRing in = noise(width, 2 * kMostReach + kMostFiltered, static_cast<unsigned>(width));
    const RowRing factors = noise(width, 1, 5);
    std::vector<const float*> rows;
    for (int y = 0; y < 2 * kMostReach + kMostFiltered; ++y) rows.push_back(in.row(y));
    for (const FilterName name : kAllFilters) {
      const Kernel kernel = make_kernel(name);
      expect_same(width, 5, [&](const Stages& stages, RowRing& out) {
        stages.filter_row(in.row(0), {kernel, factors.row(0), width}, out.row(0));
        stages.filter_columns(rows.data(), width, kernel,
                              {.count = kMostFiltered,
                               .factors = {1, 2, 0.7F, 1.3F},
                               .rows = {out.row(1), out.row(2), out.row(3), out.row(4)}});
      });
    }
  }
}

TEST(ButteraugliBands, EveryImplementationEqualsScalar) {
  for (const int width : widths()) {
    const RowRing a = noise(width, 3, static_cast<unsigned>(width)), b = noise(width, 3, 7);
    const Rows3<const float> first = {a.row(0), a.row(1), a.row(2)}, second = {b.row(0), b.row(1), b.row(2)};
    expect_same(width, 10, [&](const Stages& stages, RowRing& out) {
      stages.opsin({first, second, 203}, width, {out.row(0), out.row(1), out.row(2)});
      stages.activity({a.row(0), a.row(1)}, {b.row(0), b.row(1)}, width, out.row(3));
      stages.split_low(first, width, {out.row(4), out.row(5), out.row(6)},
                       {out.row(7), out.row(8), out.row(9)});
    });
    expect_same(width, 7, [&](const Stages& stages, RowRing& out) {
      stages.split_middle(first, width, {out.row(0), out.row(1), out.row(2)}, {out.row(3), out.row(4)});
      stages.split_high({b.row(0), b.row(1)}, width, {out.row(3), out.row(4)}, {out.row(5), out.row(6)});
    });
  }
}

TEST(ButteraugliLines, EveryImplementationEqualsScalar) {
  const Weights weights = make_weights(0.8);
  for (const int width : widths()) {
    const RowRing a = noise(width, kLineRows, static_cast<unsigned>(width)), b = noise(width, 1, 8);
    std::array<const float*, kLineRows> rows{};
    for (int k = 0; k < kLineRows; ++k) rows[static_cast<size_t>(k)] = a.row(k);
    expect_same(width, 8, [&](const Stages& stages, RowRing& out) {
      stages.add_lines(rows.data(), true, width, out.row(0));
      stages.add_lines(rows.data(), false, width, out.row(1));
      int y = 2;
      for (const auto& band : weights.lines) {
        for (const LineWeights& each : band)
          stages.line_differences({a.row(0), b.row(0)}, each, width, out.row(y++));
      }
    });
  }
}

TEST(ButteraugliMaps, EveryImplementationEqualsScalar) {
  const Weights weights = make_weights(1.2);
  for (const int width : widths()) {
    RowRing a = noise(width, 12, static_cast<unsigned>(width)), b = noise(width, 12, 6);
    // Masks and sums of squares are not negative.
    for (const int y : {8, 10, 11}) {
      for (int x = -kRowMargin; x < width + kRowMargin; ++x) a.row(y)[x] = std::abs(a.row(y)[x]);
    }
    const auto bands_of = [](const RowRing& rows) {
      return BandRows<const float>{.low = {rows.row(0), rows.row(1), rows.row(2)},
                                   .middle = {rows.row(3), rows.row(4), rows.row(5)},
                                   .high = {rows.row(6), rows.row(7)},
                                   .finest = {}};
    };
    expect_same(width, 3, [&](const Stages& stages, RowRing& out) {
      stages.map_row({.reference = bands_of(a),
                      .distorted = bands_of(b),
                      .reference_activity = a.row(9),
                      .distorted_activity = b.row(9),
                      .mask = a.row(8),
                      .lines = {a.row(10), a.row(11)}},
                     weights.squares, width, out.row(0));
      stages.erode({a.row(0), a.row(1), a.row(2)}, width, out.row(1));
      stages.add_half(a.row(3), width, out.row(2));
    });
  }
}

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
