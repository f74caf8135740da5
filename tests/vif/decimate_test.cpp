#include <gtest/gtest.h>

#include "tests/support/decoded_plane.h"
#include "tests/vif/stages_test.h"

namespace vq::vif::test {
namespace {

using namespace vq::test;

Plane<uint16_t> decimated(const VifStages& stages, const SampleView& in, const Scale& scale) {
  Plane<uint16_t> out(in.width() / 2, in.height() / 2);
  Rows rows(in.width());
  stages.decimate(in, scale, out.view(), rows);
  return out;
}

void expect_same_of_all(const SampleView& in, const Scale& scale) {
  const Plane<uint16_t> expected = decimated({}, in, scale);
  for (const Implementation& one : implementations()) {
    const Plane<uint16_t> out = decimated(one.stages, in, scale);
    ASSERT_TRUE(same_samples(out.view(), expected.view()))
        << one.name << ", " << text_of(scale, {in.width(), in.height()});
  }
}

// The unit becomes 1/256 of a level of 8-bit video, and stays that.
TEST(VifDecimate, AFlatPictureStaysFlat) {
  struct Case {
    Scale scale;
    int level, expected;
  };
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    for (const auto& [scale, level, expected] : {Case{{0, 8}, 255, 65280},
                                                 {{0, 8}, 1, 256},
                                                 {{0, 10}, 1023, 65472},
                                                 {{0, 16}, 65535, 65535},
                                                 {{1, 8}, 65280, 65280},
                                                 {{2, 16}, 12345, 12345}}) {
      const DecodedPlane plane = DecodedPlane(37, 11, depth_of(scale)).flat(level);
      const Plane<uint16_t> out = decimated(implementation.stages, plane.view(), scale);
      EXPECT_EQ(out.width(), 18);
      EXPECT_EQ(out.height(), 5);
      for (int y = 0; y < out.height(); ++y) {
        for (int x = 0; x < out.width(); ++x)
          ASSERT_EQ(out.row(y)[x], expected) << x << ", " << y << " of " << level;
      }
    }
  }
}

// A dot of 65535 at (32, 2) comes out as products of taps, but for rounding: 26386^2 / 65536, and 3571 *
// 26386 / 65536 beside.
TEST(VifDecimate, ADotSpreadsAsTheTapsSay) {
  DecodedPlane plane = DecodedPlane(70, 6, 16).flat(0);
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
      expect_same_of_all(noise_plane({width, 2 + width % 13}, depth_of(scale), ++seed).view(), scale);
    }
  }
}

// Narrow pictures come in planes with guards; sides of 2 are reflected more than once.
TEST(VifDecimate, EveryImplementationEqualsScalarOnNarrowPictures) {
  for (int width = 2; width < kGuardedWidth; ++width) {
    for (int height = 2; height < 10; ++height) {
      for (const Scale& scale : {Scale{0, 8}, {0, 16}, {1, 8}, {2, 8}}) {
        Plane<uint16_t> plane(width, height);
        widen(noise_plane({width, height}, depth_of(scale), static_cast<unsigned>(width)).view(), 0,
              plane.view());
        expect_same_of_all(vq::test::sample_view<uint16_t>(plane.view()), scale);
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
