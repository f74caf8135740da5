#include "tests/ssim/implementations.h"

namespace vq::ssim::test {
namespace {

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
  for (const Implementation& implementation : implementations()) {
    expect_same({6, 6, 6, 6}, compared_by(implementation, black.view(), black.view()), implementation.name);
  }
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
TEST(SsimCompareDeathTest, PicturesAreOfOneSizeThatTheWindowFits) {
  const Canvas<float> a = flat(12, 12, 0), low = flat(12, 11, 0), narrow = flat(10, 12, 0);
  Scratch scratch(12);
  for (const Implementation& implementation : implementations()) {
    EXPECT_DEATH(implementation.stages.compare(a.view(), low.view(), scratch), "Assert");
    EXPECT_DEATH(implementation.stages.compare(narrow.view(), narrow.view(), scratch), "Assert");
  }
}
#endif

}  // namespace
}  // namespace vq::ssim::test
