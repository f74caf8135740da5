#include "tests/cambi/stage_test.h"

namespace vq::cambi::test {
namespace {

TEST(CambiMask, CountsTheBoxWithZerosOutside) {
  // Flat everywhere in 8x1: the box around x holds min(x, 3) + 1 + min(7 - x, 3) samples.
  const auto flat = canvas_of<uint8_t>({{1, 1, 1, 1, 1, 1, 1, 1}});
  Canvas<uint8_t> mask(8, 1);
  Scratch scratch(8, 1);
  scalar::mask(flat.view(), 5, scratch, mask.view());
  EXPECT_EQ(rows_of<uint8_t>(mask.view()), (std::vector<std::vector<uint8_t>>{{0, 0, 1, 1, 1, 1, 0, 0}}));
}

TEST(CambiMask, NeedsMoreThanTheThreshold) {
  auto flat = canvas_of<uint8_t>({{1, 0}, {1, 1}});
  Canvas<uint8_t> mask(2, 2);
  Scratch scratch(2, 1);
  scalar::mask(flat.view(), 2, scratch, mask.view());
  EXPECT_EQ(mask.view().row(0)[0], 1);
  scalar::mask(flat.view(), 3, scratch, mask.view());
  EXPECT_EQ(mask.view().row(0)[0], 0);
}

TEST(CambiMask, EveryImplementationIsDerivativeThenMask) {
  unsigned seed = 0;
  for (const Size size : stage_sizes()) {
    for (const Pattern pattern : all_patterns()) {
      const Canvas<uint16_t> image = make_image(pattern, size, kMaxLevel, ++seed);
      const int threshold = std::vector<int>{-1, 0, 5, 11, 24, 31, 48, 49, 300}[seed % 9];
      Scratch scratch(size.width, 4);
      Canvas<uint8_t> flat(size.width, size.height), expected(size.width, size.height);
      scalar::derivative(image.view(), flat.view());
      scalar::mask(flat.view(), threshold, scratch, expected.view());
      const std::string where = "threshold " + std::to_string(threshold) + ", seed " + std::to_string(seed);
      expect_same_planes<uint8_t>(size, where, [&](const CambiStages& stages, PlaneView<uint8_t> out) {
        stages.spatial_mask(image.view(), threshold, scratch, out);
        EXPECT_TRUE(same_plane<uint8_t>(expected.view(), out)) << where;
      });
    }
  }
}

}  // namespace
}  // namespace vq::cambi::test
