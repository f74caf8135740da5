// How tags turn pictures, and pictures that are turned.
#include "cli/decoding/orientation.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

#include "cli/decoding/open_video.h"
#include "cli/decoding/upright.h"
#include "core/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/source_test.h"

namespace vq::cli {
namespace {

// Where a stored point (1, 0) and (0, 1) comes to lie.
struct Axes {
  double xx, xy, yx, yy;
};

std::array<uint8_t, 36> matrix(const Axes& axes) {
  std::array<int32_t, 9> numbers = {};
  const auto fixed = [](double value) { return static_cast<int32_t>(value * 65536); };
  numbers[0] = fixed(axes.xx);
  numbers[1] = fixed(axes.xy);
  numbers[3] = fixed(axes.yx);
  numbers[4] = fixed(axes.yy);
  numbers[8] = 1 << 30;
  std::array<uint8_t, 36> bytes = {};
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

std::optional<Orientation> of(const Axes& axes) {
  const auto bytes = matrix(axes);
  return orientation_of(bytes.data(), bytes.size());
}

TEST(Orientation, ReadsTheEightRightAngles) {
  const std::pair<Axes, const char*> cases[] = {
      {{1, 0, 0, 1}, ""},
      {{0, 1, -1, 0}, "90 degrees clockwise"},
      {{-1, 0, 0, -1}, "180 degrees"},
      {{0, -1, 1, 0}, "90 degrees counterclockwise"},
      {{-1, 0, 0, 1}, "mirrored"},
      {{1, 0, 0, -1}, "upside down, mirrored"},
      {{0, 1, 1, 0}, "90 degrees clockwise, mirrored"},
      {{0, -1, -1, 0}, "90 degrees clockwise, upside down, mirrored"}};
  for (const auto& [axes, text] : cases) {
    const std::optional<Orientation> found = of(axes);
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(describe(*found), text);
    // A corner goes where the matrix says: a picture of two by two with one light sample.
    Plane<uint8_t> plane(2, 2);
    for (int y = 0; y < 2; ++y) std::fill_n(plane.row(y), 2, uint8_t{0});
    plane.row(0)[1] = 255;  // at (1, 0) around the middle: (0.5, -0.5)
    Frame frame;
    frame.planes[0].u8 = plane.view();
    const Frame shown = turned(frame, *found);
    const double x = 0.5 * axes.xx - 0.5 * axes.yx, y = 0.5 * axes.xy - 0.5 * axes.yy;
    EXPECT_EQ(shown.planes[0].u8.row(y > 0 ? 1 : 0)[x > 0 ? 1 : 0], 255) << text;
  }
}

TEST(Orientation, OtherAnglesAreNone) {
  EXPECT_FALSE(of({0.7, 0.7, -0.7, 0.7}));
  EXPECT_FALSE(of({0, 0, 0, 0}));
  EXPECT_FALSE(of({1, 0.1, 0, 1}));
  EXPECT_TRUE(of({1, 0.001, 0.001, 1}));
  EXPECT_FALSE(orientation_of(matrix({1, 0, 0, 1}).data(), 35));
}

TEST(Orientation, ChromaTurnsAlong) {
  const Orientation lying{.transposes = true};
  EXPECT_EQ(turned_chroma(Chroma::k420, lying), Chroma::k420);
  EXPECT_EQ(turned_chroma(Chroma::k422, lying), Chroma::k440);
  EXPECT_EQ(turned_chroma(Chroma::k440, lying), Chroma::k422);
  EXPECT_FALSE(turned_chroma(Chroma::k411, lying));
  EXPECT_EQ(turned_chroma(Chroma::k411, {.flips_x = true, .flips_y = true}), Chroma::k411);
  VideoInfo info;
  info.path = "dv.mov";
  info.format.chroma = Chroma::k411;
  info.orientation = lying;
  vq::test::expect_error(ErrorKind::kMismatch, {"dv.mov", "4:1:1"}, [&] { turned_info(info); });
}

// Every sample once, for odd sizes, both depths and sizes beyond a tile.
TEST(Orientation, TurnsEverySample) {
  std::mt19937 random(7);
  const std::pair<int, int> sizes[] = {{1, 1}, {1, 37}, {35, 3}, {70, 41}};
  for (const auto& [width, height] : sizes) {
    Plane<uint16_t> deep(width, height);
    Plane<uint8_t> shallow(width, height);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        deep.row(y)[x] = static_cast<uint16_t>(random());
        shallow.row(y)[x] = static_cast<uint8_t>(random());
      }
    }
    for (int bits = 0; bits < 8; ++bits) {
      const Orientation o{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
      Frame frame;
      frame.index = 5;
      frame.timestamp = 0.5;
      frame.planes[0].u16 = deep.view();
      frame.planes[1].u8 = shallow.view();
      const Frame shown = turned(frame, o);
      EXPECT_EQ(shown.index, 5);
      EXPECT_EQ(shown.timestamp, 0.5);
      ASSERT_EQ(shown.planes[0].width(), o.transposes ? height : width);
      ASSERT_EQ(shown.planes[0].height(), o.transposes ? width : height);
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          int to_x = o.transposes ? y : x, to_y = o.transposes ? x : y;
          if (o.flips_x) to_x = shown.planes[0].width() - 1 - to_x;
          if (o.flips_y) to_y = shown.planes[0].height() - 1 - to_y;
          ASSERT_EQ(shown.planes[0].u16.row(to_y)[to_x], deep.row(y)[x]) << bits << ": " << x << ", " << y;
          ASSERT_EQ(shown.planes[1].u8.row(to_y)[to_x], shallow.row(y)[x]) << bits << ": " << x << ", " << y;
        }
      }
    }
  }
}

}  // namespace
}  // namespace vq::cli
