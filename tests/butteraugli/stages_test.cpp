// The stages: every implementation against the scalar one.
#include "feature/butteraugli/stages.h"
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

}  // namespace
}  // namespace vq::butteraugli::test
