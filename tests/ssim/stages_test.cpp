// The stages of SSIM and MS-SSIM: examples by hand, and every implementation, shrinking on a device as well,
// against the scalar one.
#include "feature/ssim/ssim.h"
#include "tests/support/implementations.h"
#include "tests/support/stage_test.h"

namespace vq::ssim::test {
namespace {

using vq::test::Canvas;
using vq::test::DecodedPlane;
using vq::test::plane_of;
using vq::test::same_plane;

using Implementation = vq::test::Implementation<Stages>;

std::vector<Implementation> implementations() {
  return vq::test::all_implementations(scalar::kStages, simd::stages_for);
}

// Values with all the bits of a float, some of them negative.
Canvas<float> noise(int width, int height, unsigned seed) {
  std::minstd_rand random(seed);
  return vq::test::drawn<float>(
      width, height, [&](int, int) { return static_cast<float>(random() >> 3) / 1048573.0F - 10; }, seed);
}

Canvas<float> flat(int width, int height, float value) {
  return vq::test::drawn<float>(width, height, [=](int, int) { return value; });
}

Canvas<float> shrunk_by(const Implementation& implementation, const Luma& luma, int factor) {
  const int width = luma.view.width(), height = luma.view.height();
  Scratch scratch(width);
  Canvas<float> out(shrunk(width, factor), shrunk(height, factor));
  implementation.stages.shrink(luma, factor, scratch, out.view());
  EXPECT_TRUE(out.intact()) << implementation.name;
  return out;
}

// A box of two begins one sample before its place, mirrored at the border.
TEST(SsimShrink, IsTheMeanOfABox) {
  const auto luma = plane_of({{10, 20, 40, 90}, {30, 60, 80, 100}, {50, 70, 6, 8}, {1, 2, 3, 4}}, 8);
  const Canvas<float> expected = vq::test::canvas_of<float>({{10, 30}, {40, 54}});
  for (const Implementation& implementation : implementations()) {
    const Canvas<float> out = shrunk_by(implementation, {luma.view(), 8}, 2);
    EXPECT_TRUE(same_plane(expected.view(), out.view())) << implementation.name;
  }
}

TEST(SsimShrink, BringsEveryDepthTo8Bits) {
  const auto luma = plane_of({{0, 1, 2, 3}, {4, 1020, 1023, 512}}, 10);
  const Canvas<float> expected =
      vq::test::canvas_of<float>({{0, 0.25F, 0.5F, 0.75F}, {1, 255, 255.75F, 128}});
  for (const Implementation& implementation : implementations()) {
    const Canvas<float> out = shrunk_by(implementation, {luma.view(), 10}, 1);
    EXPECT_TRUE(same_plane(expected.view(), out.view())) << implementation.name;
  }
}

// The parity of a side counts, not the rest of its division.
TEST(SsimShrink, RoundsOddSidesUp) {
  EXPECT_EQ(shrunk(12, 3), 4);
  EXPECT_EQ(shrunk(13, 3), 5);
  EXPECT_EQ(shrunk(14, 3), 4);
  EXPECT_EQ(shrunk(15, 3), 6);
  EXPECT_EQ(shrunk(15, 1), 15);
}

void expect_same_of_all(const DecodedPlane& luma, int bit_depth, int factor) {
  const Canvas<float> expected = shrunk_by({"scalar", scalar::kStages}, {luma.view(), bit_depth}, factor);
  for (const Implementation& one : implementations()) {
    const Canvas<float> out = shrunk_by(one, {luma.view(), bit_depth}, factor);
    ASSERT_TRUE(same_plane(expected.view(), out.view()))
        << one.name << ", " << bit_depth << " bits, by " << factor;
  }
}

TEST(SsimShrink, EveryImplementationEqualsScalar) {
  for (const int bit_depth : {8, 9, 10, 12, 16}) {
    for (const int factor : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 17, 64}) {
      for (const int width : {factor, factor + 1, 66 + factor, 131, 37 * factor}) {
        const PlaneSize size = {width, factor + width % 11};
        expect_same_of_all(vq::test::noise_plane(size, bit_depth, static_cast<unsigned>(width)), bit_depth,
                           factor);
      }
    }
  }
}

// The largest and the smallest samples in one box are where sums have the most bits and the fewest.
TEST(SsimShrink, EveryImplementationEqualsScalarAtBothEndsOfTheRange) {
  for (const int factor : {2, 3, 7, 8, 10, 63, 64}) {
    for (const unsigned large : {0U, 1U, 2U, 3U}) {
      std::minstd_rand random(static_cast<unsigned>(factor) + large);
      const DecodedPlane luma = DecodedPlane(3 * factor, 2 * factor, 16).fill([&](int, int) {
        return random() % 3 < large ? 65535 - random() % 7 : random() % 2;
      });
      expect_same_of_all(luma, 16, factor);
    }
  }
}

// Every 16-bit sample alone in a box.
TEST(SsimShrink, EveryImplementationRoundsEverySampleAsAFloat) {
  constexpr int kSide = 256;  // boxes
  for (const int factor : {3, 6, 10}) {
    const DecodedPlane luma = DecodedPlane(kSide * factor, kSide * factor, 16).fill([&](int x, int y) {
      return x % factor == 0 && y % factor == 0 ? x / factor + kSide * (y / factor) : 0;
    });
    expect_same_of_all(luma, 16, factor);
  }
}

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

Similarity compared_by(const Implementation& implementation, PlaneView<const float> a,
                       PlaneView<const float> b) {
  Scratch scratch(a.width);
  return implementation.stages.compare(a, b, scratch);
}

void expect_same(const Similarity& expected, const Similarity& actual, const std::string& where) {
  EXPECT_EQ(expected.luminance, actual.luminance) << where;
  EXPECT_EQ(expected.contrast, actual.contrast) << where;
  EXPECT_EQ(expected.structure, actual.structure) << where;
  EXPECT_EQ(expected.product, actual.product) << where;
}

TEST(SsimCompare, CountsThePositionsOfTheWindow) {
  EXPECT_EQ(positions({11, 11}), 1);
  EXPECT_EQ(positions({13, 12}), 6);
  const Canvas<float> black = flat(13, 12, 0);
  for (const Implementation& implementation : implementations())
    expect_same({6, 6, 6, 6}, compared_by(implementation, black.view(), black.view()), implementation.name);
}

// Flat pictures have the same contrast and structure. The means are 0 and 100, C1 is 6.5025.
TEST(SsimCompare, LuminanceIsOfTheMeans) {
  const Canvas<float> black = flat(11, 11, 0), grey = flat(11, 11, 100);
  const double luminance = 6.5025 / (10000 + 6.5025);
  for (const Implementation& implementation : implementations()) {
    const Similarity sums = compared_by(implementation, black.view(), grey.view());
    EXPECT_NEAR(sums.luminance, luminance, 1e-8) << implementation.name;
    EXPECT_EQ(sums.structure, 1) << implementation.name;
  }
}

// One sample in the middle of the window, at 10 and at -10 on black: its weight is 0.266012^2, so that both
// variances are 100 w (1 - w) and the covariance is their negative. C2 is 58.5225.
TEST(SsimCompare, StructureIsOfTheCovariance) {
  Canvas<float> up = flat(11, 11, 0), down = flat(11, 11, 0);
  up.view().row(5)[5] = 10;
  down.view().row(5)[5] = -10;
  const double weight = 0.266012 * 0.266012, variance = 100 * weight * (1 - weight);
  const double structure = (29.26125 - variance) / (29.26125 + variance);
  const double luminance = (6.5025 - 200 * weight * weight) / (6.5025 + 200 * weight * weight);
  for (const Implementation& implementation : implementations()) {
    const Similarity sums = compared_by(implementation, up.view(), down.view());
    EXPECT_NEAR(sums.structure, structure, 1e-6) << implementation.name;
    EXPECT_NEAR(sums.contrast, 1, 1e-6) << implementation.name;
    EXPECT_NEAR(sums.luminance, luminance, 1e-6) << implementation.name;
    EXPECT_NEAR(sums.product, luminance * structure, 1e-6) << implementation.name;
  }
}

// Samples of 10 in one picture and 30 in the other.
TEST(SsimCompare, ContrastIsOfTheVariances) {
  Canvas<float> weak = flat(11, 11, 0), strong = flat(11, 11, 0);
  weak.view().row(5)[5] = 10;
  strong.view().row(5)[5] = 30;
  const double weight = 0.266012 * 0.266012, variance = 100 * weight * (1 - weight);
  const double contrast = (2 * 3 * variance + 58.5225) / (10 * variance + 58.5225);
  for (const Implementation& implementation : implementations()) {
    EXPECT_NEAR(compared_by(implementation, weak.view(), strong.view()).contrast, contrast, 1e-6)
        << implementation.name;
  }
}

TEST(SsimCompare, EveryImplementationEqualsScalar) {
  for (int width = kTaps; width <= 150; width += width < 50 ? 1 : 9) {
    const int height = kTaps + width % 27;
    const Canvas<float> a = noise(width, height, static_cast<unsigned>(width)), b = noise(width, height, 7);
    const Canvas<float> grey = flat(width, height, 1.0F + static_cast<float>(width) / 3);
    for (const auto& [first, second] : {std::pair{&a, &b}, {&a, &grey}, {&grey, &grey}}) {
      const Similarity expected = compared_by({"scalar", scalar::kStages}, first->view(), second->view());
      for (const Implementation& one : implementations()) {
        expect_same(expected, compared_by(one, first->view(), second->view()),
                    one.name + ", " + std::to_string(width));
      }
    }
  }
}

#if HWY_IS_DEBUG_BUILD
std::vector<Implementation> host_implementations() {
  std::vector<Implementation> all = implementations();
  std::erase_if(all, [](const Implementation& one) { return one.name == "device"; });
  return all;
}

TEST(SsimCompareDeathTest, PicturesAreOfOneSizeThatTheWindowFits) {
  const Canvas<float> a = flat(12, 12, 0), low = flat(12, 11, 0), narrow = flat(10, 12, 0);
  Scratch scratch(12);
  for (const Implementation& implementation : host_implementations()) {
    EXPECT_DEATH(implementation.stages.compare(a.view(), low.view(), scratch), "Assert");
    EXPECT_DEATH(implementation.stages.compare(narrow.view(), narrow.view(), scratch), "Assert");
  }
}

TEST(SsimHalveDeathTest, PicturesAreAtLeastAsLargeAsTheFilter) {
  const Canvas<float> low = flat(20, 8, 0), high = flat(20, 10, 0);
  Canvas<float> out(10, 4), odd(10, 6);
  Scratch scratch(20);
  for (const Implementation& implementation : host_implementations()) {
    EXPECT_DEATH(implementation.stages.halve(low.view(), scratch, out.view()), "Assert");
    EXPECT_DEATH(implementation.stages.halve(high.view(), scratch, odd.view()), "Assert");
  }
}

TEST(SsimShrinkDeathTest, ShapesAndFactorsAreInRange) {
  const DecodedPlane luma(20, 20, 8);
  Scratch scratch(20), narrow(19);
  Canvas<float> out(10, 10), wide(11, 10);
  for (const Implementation& implementation : host_implementations()) {
    EXPECT_DEATH(implementation.stages.shrink({luma.view(), 8}, 2, scratch, wide.view()), "Assert");
    EXPECT_DEATH(implementation.stages.shrink({luma.view(), 8}, 2, narrow, out.view()), "Assert");
    EXPECT_DEATH(implementation.stages.shrink({luma.view(), 7}, 2, scratch, out.view()), "Assert");
  }
}
#endif

}  // namespace
}  // namespace vq::ssim::test
