// The stage: every implementation against the scalar one; and what its scores wait for.
#include "feature/motion/motion.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/implementations.h"

namespace vq::motion {
namespace {

using namespace vq::test;

using Implementation = vq::test::Implementation<decltype(&scalar::blurred_difference)>;

std::vector<Implementation> implementations() {
  return vq::test::all_implementations(&scalar::blurred_difference, simd::blurred_difference_for);
}

uint64_t difference(decltype(&scalar::blurred_difference) stage, const DecodedPlane& before,
                    const DecodedPlane& now, int bit_depth) {
  const Pictures pictures = {before.view(), now.view(), bit_depth};
  Rows rows(pictures.now.width());
  return stage(pictures, rows);
}

void expect_scalar(PlaneSize size, int bit_depth, int low, unsigned seed) {
  const int top = (1 << bit_depth) - 1;
  const DecodedPlane before = noise_plane(size, bit_depth, low, top, seed),
                     now = noise_plane(size, bit_depth, low, top, seed + 7);
  vq::test::expect_same_of_all(
      implementations(),
      std::to_string(size.width) + "x" + std::to_string(size.height) + ", " + std::to_string(bit_depth) +
          " bits from " + std::to_string(low),
      [&](const Implementation& one) { return difference(one.stages, before, now, bit_depth); });
}

// Of one sample there is nothing but that; of two each is the other's neighbour on both sides.
TEST(MotionBlurredDifference, SidesOfOneAndTwoAreReflected) {
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    const auto of = [&](PlaneSize size, std::vector<int> before, std::vector<int> now) {
      const auto plane = [&](const std::vector<int>& samples) {
        return DecodedPlane(size.width, size.height, 8).fill([&](int x, int y) {
          return samples[static_cast<size_t>(x + y)];
        });
      };
      return difference(implementation.stages, plane(before), plane(now), 8);
    };
    EXPECT_EQ(of({1, 1}, {10}, {3}), 7U * 256);
    EXPECT_EQ(of({2, 1}, {10, 20}, {3, 0}), 3417U + 3495U);
    EXPECT_EQ(of({1, 2}, {10, 20}, {3, 0}), 3417U + 3495U);
  }
}

// Rows as long as a vector or not, of all lengths up to four of the longest.
TEST(MotionBlurredDifference, EveryImplementationEqualsScalar) {
  unsigned seed = 0;
  for (int width = 1; width <= 135; ++width) {
    for (const int bit_depth : {8, 9, 10, 12, 15, 16}) {
      for (const int low : {0, (1 << bit_depth) - 4})
        expect_scalar({width, 1 + width * 7 % 11}, bit_depth, low, ++seed);
    }
  }
  for (int bit_depth = 8; bit_depth <= 16; ++bit_depth)
    expect_scalar({259, 37}, bit_depth, 1 << (bit_depth - 1), ++seed);
}

// Around the vectors of an invocation, its rows, and the tiles of a work group.
TEST(MotionBlurredDifference, EveryImplementationEqualsScalarAroundTiles) {
  unsigned seed = 0;
  for (const PlaneSize size : {PlaneSize{1, 40},
                               {7, 15},
                               {9, 16},
                               {247, 17},
                               {248, 3},
                               {249, 18},
                               {250, 4},
                               {251, 33},
                               {252, 2},
                               {253, 6},
                               {495, 31},
                               {496, 34},
                               {640, 360}}) {
    for (const int bit_depth : {8, 10, 16}) expect_scalar(size, bit_depth, 0, ++seed);
  }
}

TEST(MotionBlurredDifference, EveryImplementationEqualsScalarOnExtremes) {
  for (const int bit_depth : {8, 10, 15, 16}) {
    const int top = (1 << bit_depth) - 1;
    std::minstd_rand random(static_cast<unsigned>(bit_depth));
    for (int block = 1; block <= 5; ++block) {
      DecodedPlane noise(301, 35, bit_depth), blocks(301, 35, bit_depth);
      noise.fill([&](int, int) { return static_cast<int>((random() >> 9) % 2) * top; });
      blocks.fill([&](int x, int y) { return (x / block + y / block) % 2 * top; });
      vq::test::expect_same_of_all(implementations(),
                                   std::to_string(bit_depth) + " bits, blocks of " + std::to_string(block),
                                   [&](const Implementation& one) {
                                     return std::pair(difference(one.stages, noise, blocks, bit_depth),
                                                      difference(one.stages, blocks, noise, bit_depth));
                                   });
    }
  }
}

TEST(MotionBlurredDifference, TakesBytesInWords) {
  const DecodedPlane before = noise_plane({80, 6}, 8, 0, 255, 1), now = noise_plane({80, 6}, 8, 0, 255, 2);
  const auto in_words = [](const DecodedPlane& bytes) {
    return DecodedPlane(80, 6, 8, 1, true).fill([&](int x, int y) { return bytes.view().u8.row(y)[x]; });
  };
  for (const Implementation& implementation : implementations()) {
    EXPECT_EQ(difference(implementation.stages, in_words(before), in_words(now), 8),
              difference(scalar::blurred_difference, before, now, 8))
        << implementation.name;
  }
}

// Each sample of the longest row counts for the most.
TEST(MotionBlurredDifference, HasRoomForTheLongestRow) {
  const std::vector<uint16_t> black(kMaxSide), white(kMaxSide, 65535);
  const auto repeated = [](const std::vector<uint16_t>& row) {
    return SampleView{.u8 = {}, .u16 = {row.data(), kMaxSide, 19, 0}};
  };
  Rows rows(kMaxSide);
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    constexpr uint64_t kMost = uint64_t{19} * kMaxSide * 65535;
    EXPECT_EQ(implementation.stages({repeated(white), repeated(black), 16}, rows), kMost);
    EXPECT_EQ(implementation.stages({repeated(black), repeated(white), 16}, rows), kMost);
    EXPECT_EQ(implementation.stages({repeated(white), repeated(white), 16}, rows), 0U);
  }
}

using ::testing::Optional;

// The smaller one of two differences needs the frame behind, but where there is none before.
TEST(MotionSequence, KnowsAtOnceWhatNeedsNoFrameBehind) {
  const FrameResult result = {.values = {7}};
  const auto usual = Motion::make_sequence({.debug = true});
  EXPECT_THAT(usual->at_once(result, 0), ElementsAre(Optional(7), Optional(7), Optional(0), std::nullopt));
  EXPECT_THAT(usual->at_once(result, 1), ElementsAre(Optional(7), Optional(7), std::nullopt, std::nullopt));
  const auto five = Motion::make_sequence({.five_frame_window = true});
  EXPECT_THAT(five->at_once(result, 1), ElementsAre(Optional(7), Optional(0), std::nullopt));
  EXPECT_THAT(five->at_once(result, 2), ElementsAre(Optional(7), std::nullopt, std::nullopt));
  const auto still = Motion::make_sequence({.force_zero = true});
  EXPECT_THAT(still->at_once({.values = {0}}, 9), ElementsAre(Optional(0), Optional(0), Optional(0)));
}

TEST(MotionFeature, LooksAtAsManyFramesBeforeAsItsWindowHas) {
  const auto before = [](const MotionOptions& options) { return Motion::neighbours(options).references; };
  EXPECT_EQ(before({}), 1);
  EXPECT_EQ(Motion::neighbours({}).distorted, 0);
  EXPECT_EQ(before({.five_frame_window = true}), 2);
  EXPECT_EQ(before({.force_zero = true, .five_frame_window = true}), 0);
}

TEST(MotionFeature, WhatNeedsTheNextFrameStandsBehindOtherFeatures) {
  std::vector<std::string_view> late;
  for (const MetricInfo& metric : feature_info().metrics) {
    if (metric.is_late) late.push_back(metric.name);
  }
  EXPECT_THAT(late, ElementsAre("integer_motion2", "integer_motion3"));
}

}  // namespace
}  // namespace vq::motion
