#include "engine/analysis/signature.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "feature/feature.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/implementations.h"

namespace vq {
namespace {

using signature::CellSums;
using signature::Span;

using vq::test::DecodedPlane;
using SignatureImplementation = vq::test::Implementation<CellSums>;

std::vector<SignatureImplementation> signature_implementations() {
  return vq::test::all_implementations(CellSums{signature::scalar::cell_sums},
                                       signature::simd::cell_sums_for);
}

Frame frame_of_luma(const DecodedPlane& plane, int bit_depth = 8) {
  Frame frame = vq::test::luma_frame(plane);
  frame.bit_depth = bit_depth;
  return frame;
}

TEST(Signature, CellsTileThePicture) {
  for (const int size : {8, 9, 15, 16, 17, 100, 1080, 1920, kMaxSide}) {
    int next = 0;
    for (int i = 0; i < kSignatureSide; ++i) {
      const Span cell = signature::cell_span(size, i);
      EXPECT_EQ(cell.first, next);
      EXPECT_EQ(cell.first, i * size / 8);
      next = cell.first + cell.count;
    }
    EXPECT_EQ(next, size);
  }
  EXPECT_EQ(signature::cell_span(3, 0), (Span{0, 1}));  // fewer samples than cells
  EXPECT_EQ(signature::cell_span(3, 7), (Span{2, 1}));
}

TEST(Signature, LooksAtTheMiddleOfACell) {
  EXPECT_EQ(signature::sampled_columns({240, 240}), (Span{345, 30}));
  EXPECT_EQ(signature::sampled_columns({10, 9}), (Span{13, 2}));
  EXPECT_EQ(signature::sampled_columns({4, 1}), (Span{4, 1}));
  const Span rows = {135, 135};
  EXPECT_EQ(signature::sampled_rows(rows), 4);
  EXPECT_EQ(signature::sampled_row(rows, 0), 135 + 16);
  EXPECT_EQ(signature::sampled_row(rows, 3), 135 + 118);
  EXPECT_EQ(signature::sampled_rows({0, 2}), 2);
  EXPECT_EQ(signature::sampled_row({0, 2}, 1), 1);
}

// 16 columns of cells of 2, of which the left is looked at.
TEST(Signature, IsTheMeanOfEachCell) {
  DecodedPlane picture(16, 8, 8);
  picture.fill([](int x, int y) { return x % 2 == 0 ? 10 * y + x / 2 : 255; });
  for (const SignatureImplementation& implementation : signature_implementations()) {
    const Signature signature = signature_of(frame_of_luma(picture), Range::kLimited, implementation.stages);
    for (int cell = 0; cell < kSignatureCells; ++cell) {
      EXPECT_EQ(signature.levels[static_cast<size_t>(cell)], 16 * (10 * (cell / 8) + cell % 8))
          << implementation.name;
    }
  }
}

TEST(Signature, RoundsToTheNearestSixteenth) {
  DecodedPlane picture(24, 24, 8);  // a cell: three rows of one sample
  const auto level = [&](std::vector<int> rows) {
    picture.fill([&](int, int y) { return rows[static_cast<size_t>(y % 3)]; });
    return signature_of(frame_of_luma(picture), Range::kLimited, signature::scalar::cell_sums).levels[9];
  };
  EXPECT_EQ(level({100, 100, 100}), 1600);
  EXPECT_EQ(level({100, 100, 101}), 1605);  // 1605.33
  EXPECT_EQ(level({100, 101, 101}), 1611);  // 1610.67
}

TEST(Signature, IsTheSameForEveryDepthAndRange) {
  const CellSums sums = signature::cell_sums_for(Execution());
  for (const int depth : {8, 9, 10, 12, 14, 16}) {
    for (const int level : {16, 17, 100, 235}) {
      DecodedPlane limited(64, 48, 16), full(64, 48, 16);
      limited.flat(level << (depth - 8));
      const double fraction = (level - 16) / 219.0;
      full.flat(static_cast<int>(std::lround(fraction * ((1 << depth) - 1))));
      EXPECT_EQ(signature_of(frame_of_luma(limited, depth), Range::kLimited, sums).levels[20], 16 * level)
          << depth;
      EXPECT_EQ(signature_of(frame_of_luma(limited, depth), Range::kUnspecified, sums).levels[20], 16 * level)
          << depth;
      EXPECT_NEAR(signature_of(frame_of_luma(full, depth), Range::kFull, sums).levels[20], 16 * level,
                  depth == 8 ? 7 : 4)
          << depth;
    }
  }
}

TEST(Signature, IsNearlyTheSameForEverySize) {
  const auto shade = [](double x, double y) { return 120 + 60 * std::sin(9 * x) * std::cos(7 * y + 2); };
  const auto of = [&](int width, int height) {
    DecodedPlane picture(width, height, 8);
    picture.fill([&](int x, int y) { return std::lround(shade((x + 0.5) / width, (y + 0.5) / height)); });
    return signature_of(frame_of_luma(picture), Range::kLimited, signature::cell_sums_for(Execution()));
  };
  const Signature large = of(1920, 1080);
  for (const auto& [width, height] : {std::pair{3840, 2160}, {1280, 720}, {640, 360}, {417, 235}}) {
    const Signature other = of(width, height);
    for (size_t cell = 0; cell < kSignatureCells; ++cell)
      EXPECT_NEAR(other.levels[cell], large.levels[cell], 32);  // two levels, where a cell spans 70
  }
}

void compare_signatures(int depth) {
  std::vector<std::pair<int, int>> sizes = {{1920, 9}, {4096, 17}, {kMaxSide, 8}, {5, 3}, {1, 1}};
  for (int width = 1; width <= 330; ++width) sizes.emplace_back(width, 1 + width * 7 % 83);
  for (const auto& [width, height] : sizes) {
    const DecodedPlane picture =
        vq::test::noise_plane({width, height}, depth, static_cast<unsigned>(width * 131 + height));
    const std::string where = std::to_string(width) + "x" + std::to_string(height);
    vq::test::expect_same_of_all(signature_implementations(), where, [&](const SignatureImplementation& one) {
      std::array<uint32_t, kSignatureCells> sums;
      one(picture.view(), sums);
      return sums;
    });
  }
}

TEST(Signature, EveryImplementationEqualsScalar) {
  compare_signatures(8);
  compare_signatures(16);
}

TEST(Signature, HasRoomForTheBrightestOfTheLargest) {
  const std::vector<uint16_t> white(kMaxSide, 65535);
  const SampleView luma = vq::test::sample_view<uint16_t>({white.data(), kMaxSide, kMaxSide, 0});
  for (const SignatureImplementation& implementation : signature_implementations()) {
    std::array<uint32_t, kSignatureCells> sums;
    implementation(luma, sums);
    for (const uint32_t sum : sums) EXPECT_EQ(sum, uint32_t{4} * (kMaxSide / 64) * 65535);
  }
}

}  // namespace
}  // namespace vq
