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
    const auto values = drawn<float>(size.width, size.height,
                                     [&](int, int) { return static_cast<float>(random() % 65536) / 8; });
    expect_same_planes<uint16_t>(size, "seed " + std::to_string(seed),
                                 [&](const CambiStages& stages, PlaneView<uint16_t> out) {
                                   stages.heatmap(values.view(), 65535.0 / 4225, out);
                                 });
  }
}

}  // namespace
}  // namespace vq::cambi::test
