#include "feature/ciede/ciede.h"

#include "tests/support/decoded_plane.h"
#include "tests/support/expect_error.h"

namespace vq::ciede {
namespace {

const VideoFormat kEncode{
    .name = "show.mkv", .width = 7, .height = 4, .bit_depth = 8, .chroma = Chroma::k420};
const VideoFormat kMaster{
    .name = "master.mov", .width = 7, .height = 4, .bit_depth = 10, .chroma = Chroma::k422};

// Chroma need not be sampled in one way; pictures of libvmaf's library, whose chroma is rounded down, are
// taken as that does.
TEST(CiedePlan, SpreadsEachVideoAsItIs) {
  for (const bool rounds_down : {false, true}) {
    VideoFormat encode = kEncode, master = kMaster;
    encode.rounds_chroma_down = master.rounds_chroma_down = rounds_down;
    const CiedePlan plan = Ciede::make_plan({}, {encode, master});
    EXPECT_EQ(plan.videos.bit_depth, 10);
    EXPECT_EQ(plan.distorted.shift, 2);
    EXPECT_EQ(plan.distorted.chroma.x, 1);
    EXPECT_EQ(plan.distorted.chroma.y, 1);
    EXPECT_EQ(plan.reference.shift, 0);
    EXPECT_EQ(plan.reference.chroma.x, rounds_down ? 0 : 1);
    EXPECT_EQ(plan.reference.chroma.y, rounds_down ? 1 : 0);
  }
}

// A frame of 7x4 whose samples are 10 y + x, chroma 40 and 100 more.
Frame test_frame(Chroma chroma, int bit_depth) {
  const VideoFormat format = {.name = "", .width = 7, .height = 4, .bit_depth = bit_depth, .chroma = chroma};
  return vq::test::drawn_frame(
      format, [](int plane, int x, int y) { return 10 * y + x + (plane == 0 ? 0 : 40 + 60 * (plane - 1)); });
}

// Chroma is repeated as often as it is shared, and samples are brought to the depth of both. Where chroma is
// rounded down, its last sample goes on.
TEST(CiedeSpreadRows, AreOfAllPlanesAlike) {
  Frame rounded = test_frame(Chroma::k420, 8);
  for (size_t plane : {1, 2}) --rounded.planes[plane].u8.width, --rounded.planes[plane].u8.height;
  struct Case {
    Frame frame;
    Spread spread;
    int y, plane;
    std::vector<int> expected;
  };
  for (const auto& [frame, spread, y, plane, expected] :
       {Case{test_frame(Chroma::k420, 8), {0, {1, 1}}, 3, 0, {30, 31, 32, 33, 34, 35, 36}},
        Case{test_frame(Chroma::k420, 8), {0, {1, 1}}, 3, 1, {50, 50, 51, 51, 52, 52, 53}},
        Case{test_frame(Chroma::k420, 8), {0, {1, 1}}, 3, 2, {110, 110, 111, 111, 112, 112, 113}},
        Case{test_frame(Chroma::k422, 10), {0, {1, 0}}, 3, 1, {70, 70, 71, 71, 72, 72, 73}},
        Case{test_frame(Chroma::k440, 10), {0, {0, 1}}, 3, 1, {50, 51, 52, 53, 54, 55, 56}},
        Case{test_frame(Chroma::k411, 8), {0, {2, 0}}, 1, 2, {110, 110, 110, 110, 111, 111, 111}},
        Case{rounded, {0, {1, 1}}, 3, 0, {30, 31, 32, 33, 34, 35, 36}},
        Case{rounded, {0, {1, 1}}, 3, 1, {40, 40, 41, 41, 42, 42, 42}},
        Case{rounded, {0, {2, 1}}, 0, 2, {100, 100, 100, 100, 101, 101, 101}},
        Case{test_frame(Chroma::k444, 8), {2, {0, 0}}, 1, 0, {40, 44, 48, 52, 56, 60, 64}},
        Case{test_frame(Chroma::k444, 8), {2, {0, 0}}, 1, 1, {200, 204, 208, 212, 216, 220, 224}}}) {
    SpreadRows rows(7);
    rows.fill(frame, spread, y);
    const SampleRow row = rows.row(10);
    const uint16_t* const samples = plane == 0 ? row.y : plane == 1 ? row.cb : row.cr;
    EXPECT_EQ(std::vector<int>(samples, samples + 7), expected);
    EXPECT_EQ(row.width, 7);
    EXPECT_EQ(row.bit_depth, 10);
  }
}

}  // namespace
}  // namespace vq::ciede
