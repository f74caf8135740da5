#include "tests/ssim/implementations.h"

namespace vq::ssim::test {
namespace {

using DecodedBytes = vq::test::Luma<uint8_t>;
using DecodedWords = vq::test::Luma<uint16_t>;

template <typename T>
vq::test::Luma<T> decoded(const std::vector<std::vector<uint16_t>>& rows) {
  return vq::test::Luma<T>(vq::test::canvas_of(rows).view(), 3);
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
  const auto luma = decoded<uint8_t>({{10, 20, 40, 90}, {30, 60, 80, 100}, {50, 70, 6, 8}, {1, 2, 3, 4}});
  const Canvas<float> expected = vq::test::canvas_of<float>({{10, 30}, {40, 54}});
  for (const Implementation& implementation : implementations()) {
    const Canvas<float> out = shrunk_by(implementation, {luma.view(), 8}, 2);
    EXPECT_TRUE(same_plane(expected.view(), out.view())) << implementation.name;
  }
}

TEST(SsimShrink, BringsEveryDepthTo8Bits) {
  const auto luma = decoded<uint16_t>({{0, 1, 2, 3}, {4, 1020, 1023, 512}});
  const Canvas<float> expected = vq::test::canvas_of<float>({{0, 0.25F, 0.5F, 0.75F}, {1, 255, 255.75F, 128}});
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

template <typename T>
void compare_with_scalar(int bit_depth) {
  for (const Implementation& implementation : implementations()) {
    for (const int factor : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 64}) {
      for (const int width : {factor, factor + 1, 66 + factor, 131}) {
        const int height = factor + width % 5;
        std::minstd_rand random(static_cast<unsigned>(width));
        vq::test::Luma<T> luma(width, height, width + width % 3);
        for (T& sample : luma.samples) sample = static_cast<T>((random() >> 5) & ((1U << bit_depth) - 1));
        const Luma in = {luma.view(), bit_depth};
        const Canvas<float> expected = shrunk_by({"scalar", scalar::kStages}, in, factor);
        const Canvas<float> out = shrunk_by(implementation, in, factor);
        ASSERT_TRUE(same_plane(expected.view(), out.view())) << implementation.name << ", by " << factor;
      }
    }
  }
}

TEST(SsimShrink, EveryImplementationEqualsScalar) {
  compare_with_scalar<uint8_t>(8);
  compare_with_scalar<uint16_t>(10);
  compare_with_scalar<uint16_t>(16);
}

// The largest and the smallest samples in one box are where sums have the most bits.
TEST(SsimShrink, EveryImplementationEqualsScalarAtBothEndsOfTheRange) {
  for (const Implementation& implementation : implementations()) {
    for (const int factor : {3, 7, 10, 63, 64}) {
      DecodedWords luma(3 * factor, 2 * factor, 3 * factor);
      std::minstd_rand random(5);
      for (uint16_t& sample : luma.samples) sample = random() % 3 == 0 ? 1 : static_cast<uint16_t>(65535 - random() % 7);
      const Luma in = {luma.view(), 16};
      const Canvas<float> expected = shrunk_by({"scalar", scalar::kStages}, in, factor);
      const Canvas<float> out = shrunk_by(implementation, in, factor);
      EXPECT_TRUE(same_plane(expected.view(), out.view())) << implementation.name;
    }
  }
}

#if HWY_IS_DEBUG_BUILD
TEST(SsimShrinkDeathTest, ShapesAndFactorsAreInRange) {
  const DecodedBytes luma(20, 20, 20);
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
