#include "tests/ssim/implementations.h"

namespace vq::ssim::test {
namespace {

Canvas<float> halved_by(const Implementation& implementation, PlaneView<const float> in) {
  Scratch scratch(in.width);
  Canvas<float> out(halved(in.width), halved(in.height));
  implementation.stages.halve(in, scratch, out.view());
  EXPECT_TRUE(out.intact()) << implementation.name;
  return out;
}

// A single sample of 256 shows the taps that meet it.
TEST(SsimHalve, WeighsSamplesAroundEverySecondOne) {
  Canvas<float> in = flat(18, 13, 0);
  in.view().row(6)[8] = 256;
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    const Canvas<float> out = halved_by(implementation, in.view());
    EXPECT_EQ(out.view().width, 9);
    EXPECT_EQ(out.view().height, 7);
    EXPECT_EQ(out.view().row(3)[4], 256 * 0.363505F);
    EXPECT_EQ(out.view().row(3)[3], 256 * -0.047149F);
    EXPECT_EQ(out.view().row(3)[6], 256 * 0.016114F);
    EXPECT_EQ(out.view().row(2)[4], 256 * -0.047149F);
    EXPECT_EQ(out.view().row(1)[5], 256 * -0.002090F);
    EXPECT_EQ(out.view().row(3)[7], 0);
    EXPECT_EQ(out.view().row(0)[4], 0);
  }
}

TEST(SsimHalve, MirrorsWithTheEdgeSampleTwice) {
  Canvas<float> in = flat(9, 10, 0);
  in.view().row(0)[0] = 256;
  in.view().row(9)[8] = 1024;
  const double top_left = 256 * double{0.071207F} + 256 * double{0.160885F} * 2 + 256 * double{0.363505F};
  // Column 8 is at the centre of output column 4 and, mirrored, one to the right; row 9 lies one and two
  // below output row 4.
  const double bottom_right = 1024 * (double{0.160885F} + 0.071207F - double{0.047149F} - 0.020867F);
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    const Canvas<float> out = halved_by(implementation, in.view());
    EXPECT_EQ(out.view().row(0)[0], static_cast<float>(top_left));
    EXPECT_EQ(out.view().row(4)[4], static_cast<float>(bottom_right));
  }
}

TEST(SsimHalve, EveryImplementationEqualsScalar) {
  for (const Implementation& implementation : implementations()) {
    for (int width = kLowPassTaps; width <= 150; width += width < 80 ? 1 : 7) {
      const int height = kLowPassTaps + width % 23;
      const Canvas<float> in = noise(width, height, static_cast<unsigned>(width));
      const Canvas<float> expected = halved_by({"scalar", scalar::kStages}, in.view());
      const Canvas<float> out = halved_by(implementation, in.view());
      ASSERT_TRUE(same_plane(expected.view(), out.view())) << implementation.name;
    }
  }
}

#if HWY_IS_DEBUG_BUILD
TEST(SsimHalveDeathTest, PicturesAreAtLeastAsLargeAsTheFilter) {
  const Canvas<float> low = flat(20, 8, 0), high = flat(20, 10, 0);
  Canvas<float> out(10, 4), odd(10, 6);
  Scratch scratch(20);
  for (const Implementation& implementation : implementations()) {
    EXPECT_DEATH(implementation.stages.halve(low.view(), scratch, out.view()), "Assert");
    EXPECT_DEATH(implementation.stages.halve(high.view(), scratch, odd.view()), "Assert");
  }
}
#endif

}  // namespace
}  // namespace vq::ssim::test
