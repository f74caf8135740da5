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

// What frames whose cells all have these luminances, in cd/m2, report.
std::vector<double> rates(const std::vector<std::vector<int64_t>>& frames) {
  const auto sequence = Stretches::make_sequence({});
  std::vector<double> found;
  for (const std::vector<int64_t>& cells : frames) {
    FrameResult result{.values = {25, 0, 0, 0}};
    for (const int64_t light : cells) result.values.push_back(static_cast<double>(light * kUnit));
    for (const FrameValues& values : sequence->next(result)) found.push_back(values[1]);
  }
  return found;
}

TEST(StretchesFlashes, AreOpposingChangesOfEnoughLightOnMoreThanAQuarter) {
  using ::testing::ElementsAre;
  EXPECT_THAT(rates({{0}, {20}, {0}, {20}}), ElementsAre(0, 0.5, 1, 1.5));
  EXPECT_THAT(rates({{0}, {19}, {0}, {19}}), ElementsAre(0, 0, 0, 0));
  // A change goes on over frames, and directions are in turn.
  EXPECT_THAT(rates({{0}, {10}, {20}, {40}, {60}, {45}, {40}}), ElementsAre(0, 0, 0.5, 0.5, 0.5, 0.5, 1));
  // From 160 up it is the contrast: 180 is the least, and 340 over 300 is more.
  EXPECT_THAT(rates({{160}, {179}, {180}}), ElementsAre(0, 0, 0.5));
  EXPECT_THAT(rates({{320}, {359}, {360}}), ElementsAre(0, 0, 0.5));
  EXPECT_THAT(rates({{0, 0, 0, 0}, {50, 0, 0, 0}, {50, 50, 0, 0}}), ElementsAre(0, 0, 0.5));
}

TEST(StretchesFlashes, CountForASecond) {
  std::vector<std::vector<int64_t>> frames(30, {0});
  frames[1] = {50};
  const std::vector<double> found = rates(frames);
  EXPECT_EQ(found[25], 1);  // both changes, of frames 1 and 2
  EXPECT_EQ(found[26], 0.5);
  EXPECT_EQ(found[27], 0);
}

}  // namespace
}  // namespace vq::stretches
