#include "tests/cambi/stage_test.h"

namespace vq::cambi::test {
namespace {

struct Case {
  Size size;
  Pattern pattern;
  int window, log_contrast;
  unsigned seed;
};

void expect_equal_to_scalar(const Case& c) {
  const Canvas<uint16_t> image = make_image(c.pattern, c.size, kMaxLevel, c.seed);
  const Canvas<uint8_t> mask = make_mask(c.size, c.seed / 3);
  const CambiPlan plan = make_test_plan(c.size, c.window, c.log_contrast);
  Scratch scratch(c.size.width, plan.num_contrasts);
  CValuePlane expected(c.size.width, c.size.height);
  scalar::c_values(image.view(), mask.view(), plan, scratch, expected);
  for (const Implementation& implementation : cpu_implementations()) {
    CValuePlane actual(c.size.width, c.size.height);
    implementation.stages.c_values(image.view(), mask.view(), plan, scratch, actual);
    ASSERT_TRUE(same_plane<float>(expected.values(), actual.values()))
        << implementation.name << ", " << to_string(c.pattern) << ", window " << c.window << ", contrasts "
        << plan.num_contrasts << ", seed " << c.seed;
    ASSERT_TRUE(actual.every_sample_came_once()) << implementation.name;
  }
}

TEST(CambiCValues, EveryImplementationEqualsScalar) {
  unsigned seed = 0;
  for (const Size size : stage_sizes()) {
    for (const Pattern pattern : all_patterns()) {
      ++seed;
      const int window = std::vector<int>{1, 3, 9, 21, 65, 127, 255}[seed % 7];
      expect_equal_to_scalar({size, pattern, window, static_cast<int>(seed % 6), seed});
    }
  }
}

TEST(CambiCValues, StripsMeetWithoutASeam) {
  unsigned seed = 1000;
  for (const int width : {kStripColumns, kStripColumns + 1, 2 * kStripColumns - 63, 2 * kStripColumns + 65}) {
    for (const Pattern pattern : {Pattern::kTwoLevels, Pattern::kSteps, Pattern::kRamp,
                                  Pattern::kFlatWithDots, Pattern::kNoiseOf100Levels}) {
      for (const int window : {5, 65, 255}) {
        ++seed;
        expect_equal_to_scalar({{width, 19}, pattern, window, static_cast<int>(seed % 3), seed});
      }
    }
  }
}

// As a device that goes wrong may leave them: nothing is read or written beyond the tables.
TEST(CambiCValues, SamplesThatAreNoLevelsCountAsNotMasked) {
  constexpr Size kSize{150, 90};
  const CambiPlan plan = make_test_plan(kSize, 21, 2);
  Scratch scratch(kSize.width, plan.num_contrasts);
  // The last has levels enough for the plain way.
  for (const Pattern pattern : {Pattern::kTwoLevels, Pattern::kRamp, Pattern::kNoise}) {
    const Canvas<uint16_t> good = make_image(pattern, kSize, kMaxLevel, 5);
    Canvas<uint16_t> image = make_image(pattern, kSize, kMaxLevel, 5);
    const Canvas<uint8_t> mask = make_mask(kSize, 3);
    Canvas<uint8_t> smaller = make_mask(kSize, 3);
    for (int y = 0; y < kSize.height; ++y) {
      for (int x = y % 7; x < kSize.width; x += 7) {
        image.view().row(y)[x] = static_cast<uint16_t>(y % 2 == 0 ? kMaxLevel + 1 + x : 65535 - x);
        smaller.view().row(y)[x] = 0;
      }
    }
    for (const Implementation& implementation : cpu_implementations()) {
      CValuePlane expected(kSize.width, kSize.height), actual(kSize.width, kSize.height);
      scalar::c_values(good.view(), smaller.view(), plan, scratch, expected);
      implementation.stages.c_values(image.view(), mask.view(), plan, scratch, actual);
      EXPECT_TRUE(same_plane<float>(expected.values(), actual.values()))
          << implementation.name << ", " << to_string(pattern);
    }
  }
}

}  // namespace
}  // namespace vq::cambi::test
