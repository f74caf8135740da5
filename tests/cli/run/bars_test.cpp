#include "cli/run/bars.h"

#include <gmock/gmock.h>

#include "cli/run/crop.h"
#include "core/plane.h"

namespace vq::cli {
namespace {

using ::testing::HasSubstr;

// Pictures of one level within a rectangle, black around it.
class Bars : public ::testing::Test {
 protected:
  static BarFinder finder(int width, int height, const Rectangle& lit, uint8_t level) {
    Plane<uint8_t> luma(width, height);
    for (int y = 0; y < height; ++y) std::fill_n(luma.row(y), width, uint8_t{16});
    for (int y = lit.y; y < lit.y + lit.height; ++y) std::fill_n(luma.row(y) + lit.x, lit.width, level);
    VideoFormat format;
    format.width = width;
    format.height = height;
    BarFinder bars(format, {});
    Frame frame;
    frame.luma().u8 = luma.view();
    bars.look(frame);
    return bars;
  }
};

TEST_F(Bars, DifferWhereOneVideoHasThem) {
  const BarFinder whole = finder(400, 200, {0, 0, 400, 200}, 100);
  const BarFinder letterboxed = finder(400, 200, {0, 24, 400, 152}, 100);
  EXPECT_TRUE(whole.is_whole());
  EXPECT_FALSE(letterboxed.is_whole());
  EXPECT_EQ(crop_text(*letterboxed.picture()), "400:152:0:24");
  EXPECT_THAT(difference_of_bars(whole, letterboxed).value(),
              HasSubstr("distorted picture is 400:152:0:24 and the reference's 400:200:0:0"));
  EXPECT_TRUE(difference_of_bars(letterboxed, whole));
  EXPECT_TRUE(difference_of_bars(finder(400, 200, {0, 0, 380, 200}, 100), whole));
}

TEST_F(Bars, LeaveWhatBothShow) {
  const BarFinder letterboxed = finder(400, 200, {0, 25, 400, 150}, 100),
                  pillarboxed = finder(400, 200, {20, 0, 360, 200}, 100);
  EXPECT_EQ(crop_text(*shown_by_both(letterboxed, pillarboxed)), "360:148:20:26");
  EXPECT_FALSE(shown_by_both(letterboxed, finder(800, 400, {0, 0, 800, 400}, 100)));
  EXPECT_FALSE(shown_by_both(letterboxed, finder(400, 200, {0, 0, 400, 200}, 16)));
}

TEST_F(Bars, AreTheSameInVideosOfOtherSizes) {
  EXPECT_FALSE(
      difference_of_bars(finder(400, 200, {0, 24, 400, 152}, 100), finder(800, 400, {0, 48, 800, 304}, 100)));
  EXPECT_FALSE(
      difference_of_bars(finder(400, 200, {0, 24, 400, 152}, 100), finder(400, 200, {0, 26, 400, 150}, 100)));
}

TEST_F(Bars, AreNotWhatIsDarkInBoth) {
  BarFinder dim = finder(400, 200, {0, 0, 400, 200}, 30), dimmer = finder(400, 200, {0, 24, 400, 152}, 26);
  EXPECT_FALSE(difference_of_bars(dim, dimmer));  // nothing is plainly lit
  const BarFinder bright = finder(400, 200, {0, 24, 400, 152}, 100);
  EXPECT_FALSE(difference_of_bars(bright, finder(400, 200, {0, 24, 400, 152}, 60)));
  const BarFinder black = finder(400, 200, {0, 0, 400, 200}, 16);
  EXPECT_FALSE(difference_of_bars(black, bright));
}

TEST(BarSchedule, ThinsOut) {
  int looks = 0;
  for (int64_t frame = 0; frame < 1024; ++frame) looks += is_looked_at_for_bars(frame) ? 1 : 0;
  EXPECT_EQ(looks, 11);
  EXPECT_TRUE(is_looked_at_for_bars(0));
  EXPECT_TRUE(is_looked_at_for_bars(512));
  EXPECT_FALSE(is_looked_at_for_bars(513));
}

}  // namespace
}  // namespace vq::cli
