#include <gtest/gtest.h>

#include "tests/support/decoded_plane.h"
#include "tests/vif/stages_test.h"

namespace vq::vif::test {
namespace {

using vq::test::DecodedPlane;
using vq::test::noise_plane;

Plane<uint16_t> decimated(const VifStages& stages, const SampleView& in, const Scale& scale) {
  Plane<uint16_t> out(in.width() / 2, in.height() / 2);
  Rows rows(in.width());
  stages.decimate(in, scale, out.view(), rows);
  return out;
}

// The unit becomes 1/256 of a level of 8-bit video, and stays that.
TEST(VifDecimate, AFlatPictureStaysFlat) {
  struct Case {
    Scale scale;
    int level, expected;
  };
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    for (const auto& [scale, level, expected] : {Case{{0, 8}, 255, 65280}, {{0, 8}, 1, 256}, {{0, 10}, 1023, 65472},
                                                 {{0, 16}, 65535, 65535}, {{1, 8}, 65280, 65280}, {{2, 16}, 12345, 12345}}) {
      const DecodedPlane plane = DecodedPlane(37, 11, scale.index > 0 ? 16 : scale.bit_depth).fill([level = level](int, int) { return level; });
      const Plane<uint16_t> out = decimated(implementation.stages, plane.view(), scale);
      EXPECT_EQ(out.width(), 18);
      EXPECT_EQ(out.height(), 5);
      for (int y = 0; y < out.height(); ++y) {
        for (int x = 0; x < out.width(); ++x) ASSERT_EQ(out.row(y)[x], expected) << x << ", " << y << " of " << level;
      }
    }
  }
}

// A dot of 65535 at (32, 2) comes out as products of taps, but for rounding: 26386^2 / 65536, and 3571 * 26386 / 65536 beside.
TEST(VifDecimate, ADotSpreadsAsTheTapsSay) {
  DecodedPlane plane = DecodedPlane(70, 6, 16).fill([](int, int) { return 0; });
  plane.set(32, 2, 65535);
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    const Plane<uint16_t> out = decimated(implementation.stages, plane.view(), {1, 8});
    EXPECT_EQ(out.row(1)[16], 10623);
    EXPECT_EQ(out.row(1)[15], 1438);
    EXPECT_EQ(out.row(1)[17], 1438);
    EXPECT_EQ(out.row(1)[14], 0);
    EXPECT_EQ(out.row(0)[16], 2876);  // two rows up, and reflected: the dot counts twice
    EXPECT_EQ(out.row(2)[16], 1438);
  }
}

TEST(VifDecimate, EveryImplementationEqualsScalar) {
  unsigned seed = 0;
  for (int width = kGuardedWidth; width <= 135; ++width) {
    for (const Scale& scale : {Scale{0, 8}, {0, 9}, {0, 12}, {0, 16}, {1, 8}, {2, 10}}) {
      const int depth = scale.index > 0 ? 16 : scale.bit_depth, top = (1 << depth) - 1;
      const DecodedPlane plane = noise_plane({width, 2 + width % 13}, depth, 0, top, ++seed);
      const Plane<uint16_t> expected = decimated({}, plane.view(), scale);
      for (const Implementation& implementation : implementations()) {
        const Plane<uint16_t> out = decimated(implementation.stages, plane.view(), scale);
        ASSERT_TRUE(same_samples(out.view(), expected.view()))
            << implementation.name << ", width " << width << ", scale " << scale.index << ", " << depth << " bits";
      }
    }
  }
}

// Narrow pictures come in planes with guards; sides of 2 are reflected more than once.
TEST(VifDecimate, EveryImplementationEqualsScalarOnNarrowPictures) {
  for (int width = 2; width < kGuardedWidth; ++width) {
    for (int height = 2; height < 10; ++height) {
      for (const Scale& scale : {Scale{0, 8}, {0, 16}, {1, 8}, {2, 8}}) {
        const int depth = scale.index > 0 ? 16 : scale.bit_depth;
        const DecodedPlane noise = noise_plane({width, height}, depth, 0, (1 << depth) - 1, static_cast<unsigned>(width));
        Plane<uint16_t> plane(width, height);
        widen(noise.view(), 0, plane.view());
        const SampleView in = {.u8 = {}, .u16 = std::as_const(plane).view()};
        const Plane<uint16_t> expected = decimated({}, in, scale);
        for (const Implementation& implementation : implementations()) {
          const Plane<uint16_t> out = decimated(implementation.stages, in, scale);
          ASSERT_TRUE(same_samples(out.view(), expected.view()))
              << implementation.name << ", " << width << "x" << height << ", scale " << scale.index;
        }
      }
    }
  }
}

TEST(VifWiden, ShiftsAndKeepsSamples) {
  const DecodedPlane bytes = DecodedPlane(3, 2, 8).fill([](int x, int y) { return 100 * y + x + 53; });
  const DecodedPlane words = DecodedPlane(3, 2, 10).fill([](int x, int y) { return 400 * y + x + 211; });
  Plane<uint16_t> out(3, 2);
  widen(bytes.view(), 4, out.view());
  EXPECT_EQ(out.row(0)[0], 53 * 16);
  EXPECT_EQ(out.row(1)[2], 155 * 16);
  widen(words.view(), 0, out.view());
  EXPECT_EQ(out.row(0)[2], 213);
  EXPECT_EQ(out.row(1)[0], 611);
}

}  // namespace
}  // namespace vq::vif::test
