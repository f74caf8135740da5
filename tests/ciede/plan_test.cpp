#include "feature/ciede/ciede.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/decoded_plane.h"
#include "tests/support/expect_error.h"

namespace vq::ciede {
namespace {

using ::testing::ElementsAre;

const VideoFormat kEncode{
    .name = "show.mkv", .width = 7, .height = 4, .bit_depth = 8, .chroma = Chroma::k420};
const VideoFormat kMaster{
    .name = "master.mov", .width = 7, .height = 4, .bit_depth = 10, .chroma = Chroma::k422};

// Chroma need not be sampled in one way.
TEST(CiedePlan, SpreadsEachVideoAsItIs) {
  const CiedePlan plan = Ciede::make_plan({}, {kEncode, kMaster});
  EXPECT_EQ(plan.videos.bit_depth, 10);
  EXPECT_EQ(plan.distorted.shift, 2);
  EXPECT_EQ(plan.distorted.chroma.x, 1);
  EXPECT_EQ(plan.distorted.chroma.y, 1);
  EXPECT_EQ(plan.reference.shift, 0);
  EXPECT_EQ(plan.reference.chroma.x, 1);
  EXPECT_EQ(plan.reference.chroma.y, 0);
}

TEST(CiedePlan, TakesPicturesOfLibvmafsLibraryAsThatDoes) {
  VideoFormat encode = kEncode, master = kMaster;
  encode.rounds_chroma_down = master.rounds_chroma_down = true;
  const CiedePlan plan = Ciede::make_plan({}, {encode, master});
  EXPECT_EQ(plan.distorted.chroma.x, 1);
  EXPECT_EQ(plan.distorted.chroma.y, 1);
  EXPECT_EQ(plan.reference.chroma.x, 0);
  EXPECT_EQ(plan.reference.chroma.y, 1);
}

TEST(CiedePlan, RefusesVideoWithoutChroma) {
  VideoFormat grey = kMaster;
  grey.chroma = Chroma::k400;
  vq::test::expect_error(ErrorKind::kMismatch, {"master.mov", "4:0:0", "ciede"}, [&] {
    Ciede::make_plan({}, {kEncode, grey});
  });
}

TEST(CiedePlan, ScoresTheMeanDifferenceInDecibels) {
  const CiedePlan plan = Ciede::make_plan({}, {kEncode, kEncode});
  EXPECT_EQ(score(plan, 28), 45);
  EXPECT_DOUBLE_EQ(score(plan, 280), 25);
  EXPECT_EQ(score(plan, 0), std::numeric_limits<double>::infinity());
}

template <typename T>
std::vector<int> row_of(const T* samples, int width) {
  return {samples, samples + width};
}

// A frame of 7x4 whose samples are 10 y + x, chroma 100 more.
Frame test_frame(Chroma chroma, int bit_depth) {
  const VideoFormat format = {.name = "", .width = 7, .height = 4, .bit_depth = bit_depth, .chroma = chroma};
  return vq::test::drawn_frame(
      format, [](int plane, int x, int y) { return 10 * y + x + (plane == 0 ? 0 : 40 + 60 * (plane - 1)); });
}

TEST(CiedeSpreadRows, RepeatChromaAsOftenAsItIsShared) {
  SpreadRows rows(7);
  rows.fill(test_frame(Chroma::k420, 8), {.shift = 0, .chroma = {1, 1}}, 3);
  EXPECT_THAT(row_of(rows.row(8).y, 7), ElementsAre(30, 31, 32, 33, 34, 35, 36));
  EXPECT_THAT(row_of(rows.row(8).cb, 7), ElementsAre(50, 50, 51, 51, 52, 52, 53));
  EXPECT_THAT(row_of(rows.row(8).cr, 7), ElementsAre(110, 110, 111, 111, 112, 112, 113));
  // 4:2:2 has every row of its own.
  rows.fill(test_frame(Chroma::k422, 10), {.shift = 0, .chroma = {1, 0}}, 3);
  EXPECT_THAT(row_of(rows.row(8).cb, 7), ElementsAre(70, 70, 71, 71, 72, 72, 73));
  rows.fill(test_frame(Chroma::k440, 10), {.shift = 0, .chroma = {0, 1}}, 3);
  EXPECT_THAT(row_of(rows.row(8).cb, 7), ElementsAre(50, 51, 52, 53, 54, 55, 56));
  rows.fill(test_frame(Chroma::k411, 8), {.shift = 0, .chroma = {2, 0}}, 1);
  EXPECT_THAT(row_of(rows.row(8).cr, 7), ElementsAre(110, 110, 110, 110, 111, 111, 111));
}

TEST(CiedeSpreadRows, EndWithTheLastSampleWhereChromaIsRoundedDown) {
  Frame frame = test_frame(Chroma::k420, 8);
  for (size_t plane : {1, 2}) --frame.planes[plane].u8.width, --frame.planes[plane].u8.height;
  SpreadRows rows(7);
  rows.fill(frame, {.shift = 0, .chroma = {1, 1}}, 3);
  EXPECT_THAT(row_of(rows.row(8).y, 7), ElementsAre(30, 31, 32, 33, 34, 35, 36));
  EXPECT_THAT(row_of(rows.row(8).cb, 7), ElementsAre(40, 40, 41, 41, 42, 42, 42));
  rows.fill(frame, {.shift = 0, .chroma = {2, 1}}, 0);
  EXPECT_THAT(row_of(rows.row(8).cr, 7), ElementsAre(100, 100, 100, 100, 101, 101, 101));
}

TEST(CiedeSpreadRows, BringSamplesToTheDepthOfBoth) {
  SpreadRows rows(7);
  rows.fill(test_frame(Chroma::k444, 8), {.shift = 2, .chroma = {0, 0}}, 1);
  EXPECT_THAT(row_of(rows.row(10).y, 7), ElementsAre(40, 44, 48, 52, 56, 60, 64));
  EXPECT_THAT(row_of(rows.row(10).cb, 7), ElementsAre(200, 204, 208, 212, 216, 220, 224));
  EXPECT_EQ(rows.row(10).width, 7);
  EXPECT_EQ(rows.row(10).bit_depth, 10);
}

}  // namespace
}  // namespace vq::ciede
