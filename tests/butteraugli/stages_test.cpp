// The stages: examples to check by hand, and every implementation against the scalar one.
#include "feature/butteraugli/stages.h"
#include "tests/butteraugli/implementations.h"

namespace vq::butteraugli::test {
namespace {

using ::testing::FloatEq;
using ::testing::FloatNear;

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

TEST(ButteraugliFilters, HaveASumOf1) {
  for (const FilterName name : kAllFilters) {
    const Kernel kernel = make_kernel(name);
    double sum = kernel.taps[0];
    for (size_t i = 1; i < kernel.taps.size(); ++i) {
      sum += 2.0 * kernel.taps[i];
      EXPECT_EQ(kernel.taps[i] > 0, static_cast<int>(i) <= kernel.reach) << i;
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
}

// Whatever is missing beyond borders.
TEST(ButteraugliFilters, LeaveFlatPicturesAsTheyAre) {
  constexpr PlaneSize kSize = {40, 21};
  const ScalePlan plan = make_scale_plan(kSize);
  for (const Implementation& one : implementations()) {
    for (const FilterName name : {kHighFilter, kActivityFilter, kMiddleFilter, kLowFilter}) {
      const Filter& filter = plan.filters[name];
      RowRing in(kSize.width, 1), out(kSize.width, 1), zeros(kSize.width, 1);
      std::fill_n(in.row(0), kSize.width, 3.0F);
      one.stages.filter_row(in.row(0), {filter.kernel, filter.column_factors.data(), kSize.width},
                            out.row(0));
      for (const float x : samples_of(out.row(0), kSize.width)) EXPECT_NEAR(x, 3, 1e-6) << one.name << name;
      for (int y = 0; y < kSize.height; ++y) {
        std::vector<const float*> rows;
        for (int k = y - filter.kernel.reach; k <= y + filter.kernel.reach; ++k)
          rows.push_back((0 <= k && k < kSize.height ? in : zeros).row(0));
        one.stages.filter_columns(
            rows.data(), kSize.width, filter.kernel,
            {.factors = {filter.row_factors[static_cast<size_t>(y)]}, .rows = {out.row(0)}});
        for (const float x : samples_of(out.row(0), kSize.width)) EXPECT_NEAR(x, 3, 1e-6) << one.name << name;
      }
    }
  }
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

TEST(ButteraugliHalve, TakesMeansOfFour) {
  for (const Implementation& one : implementations()) {
    RowRing rows(40, 2), out(20, 1);
    for (int x = 0; x < 40; ++x) {
      rows.row(0)[x] = static_cast<float>(x);
      rows.row(1)[x] = 100;
    }
    one.stages.halve(rows.row(0), rows.row(1), 20, out.row(0));
    for (int x = 0; x < 20; ++x) EXPECT_EQ(out.row(0)[x], static_cast<float>(x) + 50.25F) << one.name;
  }
}

// Light of 0 leaves the response to what receptors always see; X is 0 as two of them see the same.
TEST(ButteraugliOpsin, OfDarkness) {
  const auto response = [](double light) { return 13.339627 * std::log2(light + 9.9710635769) - 23.1604624; };
  for (const Implementation& one : implementations()) {
    const RowRing dark(8, 1);
    RowRing out(8, 3);
    const float* const row = dark.row(0);
    one.stages.opsin({{row, row, row}, {row, row, row}, 80}, 8, {out.row(0), out.row(1), out.row(2)});
    EXPECT_THAT(samples_of(out.row(0), 8), Each(0));
    EXPECT_THAT(samples_of(out.row(1), 8), Each(FloatNear(static_cast<float>(2 * response(kDark01)), 1e-3F)));
    EXPECT_THAT(samples_of(out.row(2), 8), Each(FloatNear(static_cast<float>(response(kDark2)), 1e-3F)));
  }
}

TEST(ButteraugliBands, RemoveAmplifyAndClamp) {
  for (const Implementation& one : implementations()) {
    // The middle band's X loses 0.29 at either side of 0; Y is 0.1 further away from it, or doubled.
    RowRing blurred(4, 3), middle(4, 3), high(4, 2);
    std::copy_n(std::array{0.5F, -0.5F, 0.2F, 0.0F}.data(), 4, blurred.row(0));
    std::copy_n(std::array{0.5F, -0.5F, 0.05F, 0.0F}.data(), 4, blurred.row(1));
    std::copy_n(std::array{1.0F, 2.0F, 3.0F, 4.0F}.data(), 4, blurred.row(2));
    one.stages.split_middle({blurred.row(0), blurred.row(1), blurred.row(2)}, 4,
                            {middle.row(0), middle.row(1), middle.row(2)}, {high.row(0), high.row(1)});
    EXPECT_THAT(samples_of(middle.row(0), 4), ElementsAre(FloatEq(0.21F), FloatEq(-0.21F), 0, 0));
    EXPECT_THAT(samples_of(middle.row(1), 4), ElementsAre(FloatEq(0.6F), FloatEq(-0.6F), FloatEq(0.1F), 0));
    EXPECT_THAT(samples_of(middle.row(2), 4), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(samples_of(high.row(1), 4), ElementsAre(-0.5F, 0.5F, -0.05F, 0));
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

// A single difference of 1 is met by itself in all lines through a sample of theirs.
TEST(ButteraugliLines, MeetEachSampleOnAllLinesThroughIt) {
  constexpr int kWidth = 9, kMiddle = 4;
  for (const Implementation& one : implementations()) {
    for (const bool is_long : {true, false}) {
      double sum = 0, in_place = 0;
      for (int dy = -kLineReach; dy <= kLineReach; ++dy) {
        RowRing differences(kWidth, kLineRows), out(kWidth, 1);
        differences.row(kLineReach + dy)[kMiddle] = 1;
        std::array<const float*, kLineRows> rows{};
        for (int k = 0; k < kLineRows; ++k) rows[static_cast<size_t>(k)] = differences.row(k);
        one.stages.add_lines(rows.data(), is_long, kWidth, out.row(0));
        for (const float x : samples_of(out.row(0), kWidth)) sum += x;
        if (dy == 0) in_place = out.row(0)[kMiddle];
      }
      EXPECT_EQ(in_place, 16) << one.name;
      // Ten lines of nine samples and six of seven, or sixteen of five.
      EXPECT_EQ(sum, is_long ? 10 * 9 + 6 * 7 : 16 * 5) << one.name;
    }
  }
}

TEST(ButteraugliLines, CountOppositeDifferencesMore) {
  const LineWeights weights{.norm = 3, .up = 2, .down = 1};
  for (const Implementation& one : implementations()) {
    RowRing a(4, 1), b(4, 1), out(4, 1);
    std::copy_n(std::array{1.0F, 1.0F, -1.0F, 1.0F}.data(), 4, a.row(0));
    std::copy_n(std::array{1.0F, 0.0F, 1.0F, 3.0F}.data(), 4, b.row(0));
    one.stages.line_differences({a.row(0), b.row(0)}, weights, 4, out.row(0));
    EXPECT_EQ(out.row(0)[0], 0);
    EXPECT_FLOAT_EQ(out.row(0)[1], 2 / 3.5F + 0.55F / 3.5F);
    EXPECT_FLOAT_EQ(out.row(0)[2], -4 / 4.0F - 1.55F / 4.0F);
    EXPECT_FLOAT_EQ(out.row(0)[3], -4 / 5.0F - 1.95F / 5.0F);
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

TEST(ButteraugliErode, TakesTheThreeSmallest) {
  constexpr int kWidth = 7;
  for (const Implementation& one : implementations()) {
    RowRing rows(kWidth, 3), out(kWidth, 1);
    rows.fill(100);
    rows.row(1)[3] = 10;  // 10, 20, 20 and eight of 100
    one.stages.erode({rows.row(0), rows.row(1), rows.row(2)}, kWidth, out.row(0));
    EXPECT_FLOAT_EQ(out.row(0)[3], 4.5F + 6 + 5) << one.name;
    EXPECT_FLOAT_EQ(out.row(0)[0], 4.5F + 30 + 25) << one.name;  // 10, 100, 100
    EXPECT_FLOAT_EQ(out.row(0)[1], 100) << one.name;
  }
}

TEST(ButteraugliMaps, EqualRowsDoNotDiffer) {
  for (const Implementation& one : implementations()) {
    const RowRing row = noise(9, 1, 3), zeros(9, 1);
    RowRing out(9, 1);
    const float* const x = row.row(0);
    const BandRows<const float> bands = {
        .low = {x, x, x}, .middle = {x, x, x}, .high = {x, x}, .finest = {x, x}};
    one.stages.map_row({.reference = bands,
                        .distorted = bands,
                        .reference_activity = x,
                        .distorted_activity = x,
                        .mask = zeros.row(0),
                        .lines = {zeros.row(0), zeros.row(0)}},
                       {}, 9, out.row(0));
    EXPECT_THAT(samples_of(out.row(0), 9), Each(0)) << one.name;
  }
}

TEST(ButteraugliMaps, AddHalfOfTheHalfScale) {
  for (const Implementation& one : implementations()) {
    RowRing half(3, 1), map(5, 1);
    std::copy_n(std::array{2.0F, 4.0F, 6.0F}.data(), 3, half.row(0));
    std::fill_n(map.row(0), 5, 10.0F);
    one.stages.add_half(half.row(0), 5, map.row(0));
    EXPECT_THAT(samples_of(map.row(0), 5), ElementsAre(9.5F, 9.5F, 10.5F, 10.5F, 11.5F)) << one.name;
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

}  // namespace
}  // namespace vq::butteraugli::test
