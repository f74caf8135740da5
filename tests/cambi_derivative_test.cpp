#include "tests/stage_test.h"

namespace vq::cambi::test {
namespace {

TEST(CambiDerivative, MarksSamplesEqualToRightAndBelow) {
  const auto image = canvas_of<uint16_t>({{1, 1, 2}, {1, 1, 2}, {3, 1, 2}});
  Canvas<uint8_t> flat(3, 3);
  scalar_stages().derivative(image.view(), flat.view());
  EXPECT_EQ(rows_of<uint8_t>(flat.view()),
            (std::vector<std::vector<uint8_t>>{{1, 0, 1}, {0, 0, 1}, {0, 0, 1}}));
}

TEST(CambiDerivative, EveryImplementationEqualsScalar) {
  unsigned seed = 0;
  for (const Size size : stage_sizes()) {
    for (const Pattern pattern : all_patterns()) {
      const Canvas<uint16_t> image = make_image(pattern, size, kMaxLevel, ++seed);
      Canvas<uint8_t> expected(size.width, size.height);
      scalar_stages().derivative(image.view(), expected.view());
      for (const Implementation& implementation : cpu_implementations()) {
        Canvas<uint8_t> actual(size.width, size.height, seed);
        implementation.stages->derivative(image.view(), actual.view());
        ASSERT_TRUE(same_plane<uint8_t>(expected.view(), actual.view()))
            << implementation.name << ", " << to_string(pattern) << ", seed " << seed;
        ASSERT_TRUE(actual.intact()) << implementation.name;
      }
    }
  }
}

}  // namespace
}  // namespace vq::cambi::test
