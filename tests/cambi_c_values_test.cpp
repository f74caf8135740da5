#include "tests/stage_test.h"

namespace vq::cambi::test {
namespace {

TEST(CambiCValues, WeighsTheSampleAgainstTheCommonerNeighbourLevel) {
  // A 3x3 window over one row of levels 100 and 101, all masked.
  const auto image = canvas_of<uint16_t>({{100, 100, 101, 101, 101}});
  const auto mask = canvas_of<uint8_t>({{1, 1, 1, 1, 1}});
  const CambiPlan plan = make_test_plan({5, 1}, 3, 2);
  Scratch scratch(5, plan.num_contrasts);
  Canvas<float> values(5, 1);
  scalar_stages().c_values(image.view(), mask.view(), plan, scratch, values.view());
  // x=0 sees 100 100; x=1 sees 100 100 101: 1*2*1/3; x=2 sees 100 101 101: 1*2*1/3; x=3 and x=4 see only 101.
  const float third = 2.0F * 0.333333333F;
  EXPECT_EQ(rows_of<float>(values.view()), (std::vector<std::vector<float>>{{0, third, third, 0, 0}}));
}

TEST(CambiCValues, CountsOnlyMaskedSamples) {
  const auto image = canvas_of<uint16_t>({{200, 200, 202, 202}});
  const auto mask = canvas_of<uint8_t>({{1, 1, 0, 1}});
  const CambiPlan plan = make_test_plan({4, 1}, 5, 2);
  Scratch scratch(4, plan.num_contrasts);
  Canvas<float> values(4, 1);
  scalar_stages().c_values(image.view(), mask.view(), plan, scratch, values.view());
  // Contrast 2 weighs 2. x=0 sees two of 200 and none of 202; x=1 two and one; x=3 one and one.
  EXPECT_EQ(rows_of<float>(values.view()),
            (std::vector<std::vector<float>>{{0, 2.0F * 2 * 0.333333333F, 0, 0.5F * 2 * 1}}));
}

TEST(CambiCValues, LevelsOutsideAContrastsRangeCountNothing) {
  const auto image = canvas_of<uint16_t>({{200, 201, 200, 201}});
  const auto mask = canvas_of<uint8_t>({{1, 1, 1, 1}});
  CambiPlan plan = make_test_plan({4, 1}, 3, 0);
  plan.contrasts[0] = {1, 201, 201};
  Scratch scratch(4, plan.num_contrasts);
  Canvas<float> values(4, 1);
  scalar_stages().c_values(image.view(), mask.view(), plan, scratch, values.view());
  EXPECT_EQ(rows_of<float>(values.view()), (std::vector<std::vector<float>>{{0, 2 * 0.333333333F, 0, 0.5F}}));
}

TEST(CambiCValues, EveryImplementationEqualsScalar) {
  unsigned seed = 0;
  for (const Size size : stage_sizes()) {
    for (const Pattern pattern : all_patterns()) {
      ++seed;
      const int window = std::vector<int>{1, 3, 9, 21, 65, 127, 255}[seed % 7];
      const int log_contrast = static_cast<int>(seed % 6);
      const Canvas<uint16_t> image = make_image(pattern, size, kMaxLevel, seed);
      const Canvas<uint8_t> mask = make_mask(size, seed / 3);
      const CambiPlan plan = make_test_plan(size, window, log_contrast);
      Scratch scratch(size.width, plan.num_contrasts);
      Canvas<float> expected(size.width, size.height);
      scalar_stages().c_values(image.view(), mask.view(), plan, scratch, expected.view());
      for (const Implementation& implementation : cpu_implementations()) {
        Canvas<float> actual(size.width, size.height, seed);
        implementation.stages->c_values(image.view(), mask.view(), plan, scratch, actual.view());
        ASSERT_TRUE(same_plane<float>(expected.view(), actual.view()))
            << implementation.name << ", " << to_string(pattern) << ", window " << window << ", contrasts "
            << plan.num_contrasts << ", seed " << seed;
        ASSERT_TRUE(actual.intact()) << implementation.name;
      }
    }
  }
}

}  // namespace
}  // namespace vq::cambi::test
