// The stages of SSIM and MS-SSIM: every implementation, shrinking on a device as well, against the scalar.
#include "feature/ssim/ssim.h"
#include "tests/support/implementations.h"
#include "tests/support/stage_test.h"

namespace vq::ssim::test {
namespace {

using vq::test::Canvas;
using vq::test::DecodedPlane;
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
