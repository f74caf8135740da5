#include "tests/cambi/stage_test.h"

namespace vq::cambi::test {
namespace {

TEST(CambiHeatmap, TruncatesAndSaturates) {
  const auto values = canvas_of<float>({{0, 1, 2.9F, 4}});
  Canvas<uint16_t> samples(4, 1);
  scalar_stages().heatmap(values.view(), 20000.0, samples.view());
  EXPECT_EQ(rows_of<uint16_t>(samples.view()),
            (std::vector<std::vector<uint16_t>>{{0, 20000, 58000, 65535}}));
}

TEST(CambiHeatmap, EveryImplementationEqualsScalar) {
  unsigned seed = 0;
  for (const Size size : stage_sizes()) {
    std::minstd_rand random(++seed);
    Canvas<float> values(size.width, size.height);
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) values.view().row(y)[x] = static_cast<float>(random() % 65536) / 8;
    }
    Canvas<uint16_t> expected(size.width, size.height);
    scalar_stages().heatmap(values.view(), 65535.0 / 4225, expected.view());
    for (const Implementation& implementation : cpu_implementations()) {
      Canvas<uint16_t> actual(size.width, size.height, seed);
      implementation.stages->heatmap(values.view(), 65535.0 / 4225, actual.view());
      ASSERT_TRUE(same_plane<uint16_t>(expected.view(), actual.view())) << implementation.name;
      ASSERT_TRUE(actual.intact()) << implementation.name;
    }
  }
}

}  // namespace
}  // namespace vq::cambi::test
