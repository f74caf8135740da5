#include <gmock/gmock.h>

#include "feature/stretches/stretches.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/implementations.h"

namespace vq::stretches {
namespace {

using namespace vq::test;

VideoFormat video(int width, int height, int depth = 8) {
  return {.name = "clip",
          .width = width,
          .height = height,
          .bit_depth = depth,
          .chroma = Chroma::k400,
          .frame_rate = 25};
}

Plan plan_of(const VideoFormat& format, const Options& options = {}) {
  return Stretches::make_plan(options, {.distorted = format, .reference = {}});
}

// Lengths around those of vectors, the longest, and samples beyond the range of their depth.
TEST(StretchesRowSum, IsTheSameOnEveryInstructionSet) {
  const auto all = all_implementations(&scalar::row_sum, simd::row_sum_for);
  std::minstd_rand random(1);
  std::vector<uint8_t> bytes(1024);
  std::vector<uint16_t> shorts(1024), white(1024, 0xFFFF);
  for (uint8_t& sample : bytes) sample = static_cast<uint8_t>(random() >> 8);
  for (uint16_t& sample : shorts) sample = static_cast<uint16_t>((random() >> 8) % 1100);
  const Plan plan = plan_of(video(64, 36)), deep = plan_of(video(64, 36, 10), {.transfer = "pq"});
  for (const int count : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 1024}) {
    const std::string where = "count " + std::to_string(count);
    expect_same_of_all(
        all, where, [&](const auto& one) { return one.stages({.u8 = bytes.data(), .count = count}, plan); });
    expect_same_of_all(all, where, [&](const auto& one) {
      return one.stages({.u16 = shorts.data(), .count = count}, deep);
    });
  }
  for (const auto& one : all) {
    EXPECT_EQ(one.stages({.u16 = white.data(), .count = 1024}, deep),
              (CellSum{uint64_t{1024} * 10000 * 1024, 0}))
        << one.name;
    const uint8_t levels[] = {16, 37, 38, 235};
    EXPECT_EQ(one.stages({.u8 = levels, .count = 4}, plan).black, 2U) << one.name;
  }
}

TEST(StretchesCells, CoverEveryPictureOnce) {
  for (const auto& [side, count] : {std::pair{1, 16}, {7, 9}, {16, 16}, {1920, 16}, {kMaxSide, 9}}) {
    EXPECT_EQ(cell_start(0, side, count), 0);
    EXPECT_EQ(cell_start(count, side, count), side);
  }
  // A picture of one sample has a single cell.
  std::vector<CellSum> cells(kCells);
  cells.back() = {2048, 1};
  FramePair pair;
  pair.freezes = {{0.001, 7}};
  EXPECT_THAT(frame_result(plan_of(video(1, 1), {.freeze = 1.96}), cells, pair).values,
              ::testing::ElementsAre(25, 1, 49, 7, 2048));
}

}  // namespace
}  // namespace vq::stretches
