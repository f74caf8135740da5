#include "tests/ssim/implementations.h"

namespace vq::ssim::test {
namespace {

using vq::test::DecodedPlane;
using vq::test::plane_of;

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
  for (const int bit_depth : {8, 10, 16}) {
    for (const int factor : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 64}) {
      for (const int width : {factor, factor + 1, 66 + factor, 131}) {
        const PlaneSize size = {width, factor + width % 5};
        expect_same_of_all(vq::test::noise_plane(size, bit_depth, static_cast<unsigned>(width)), bit_depth,
                           factor);
      }
    }
  }
}

// The largest and the smallest samples in one box are where sums have the most bits.
TEST(SsimShrink, EveryImplementationEqualsScalarAtBothEndsOfTheRange) {
  for (const int factor : {3, 7, 10, 63, 64}) {
    std::minstd_rand random(5);
    const DecodedPlane luma = DecodedPlane(3 * factor, 2 * factor, 16).fill([&](int, int) {
      return random() % 3 == 0 ? 1 : 65535 - static_cast<int>(random() % 7);
    });
    expect_same_of_all(luma, 16, factor);
  }
}

#if HWY_IS_DEBUG_BUILD
TEST(SsimShrinkDeathTest, ShapesAndFactorsAreInRange) {
  const DecodedPlane luma(20, 20, 8);
  Scratch scratch(20), narrow(19);
  Canvas<float> out(10, 10), wide(11, 10);
  for (const Implementation& implementation : implementations()) {
    EXPECT_DEATH(implementation.stages.shrink({luma.view(), 8}, 2, scratch, wide.view()), "Assert");
    EXPECT_DEATH(implementation.stages.shrink({luma.view(), 8}, 2, narrow, out.view()), "Assert");
    EXPECT_DEATH(implementation.stages.shrink({luma.view(), 7}, 2, scratch, out.view()), "Assert");
  }
}
#endif

}  // namespace
}  // namespace vq::ssim::test
