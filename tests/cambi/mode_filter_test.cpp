#include "tests/cambi/stage_test.h"

namespace vq::cambi::test {
namespace {

using Rows = std::vector<std::vector<uint16_t>>;

Rows filtered(const Rows& rows) {
  Canvas<uint16_t> image = canvas_of<uint16_t>(rows);
  Scratch scratch(static_cast<int>(rows[0].size()), 1);
  scalar_stages().mode_filter(image.view(), scratch);
  return rows_of<uint16_t>(image.view());
}

TEST(CambiModeFilter, TakesTheCommonestOfThreeOrTheSmallest) {
  // Middle row after the row pass: 4 | mode(4,9,4)=4 | mode(9,4,4)=4 | 4. Then columns against rows 0 and 2
  // as the row pass leaves them, {1,1,1,1} and {2,2,2,2}: all three differ, the smallest wins.
  EXPECT_EQ(filtered({{1, 1, 1, 1}, {4, 9, 4, 4}, {2, 2, 2, 2}}),
            (Rows{{1, 1, 1, 1}, {1, 1, 1, 1}, {2, 2, 2, 2}}));
}

TEST(CambiModeFilter, FirstAndLastRowsStayButAreFilteredForTheirNeighbours) {
  // Row 0 is 5 7 5 and stays; the row pass sees it as 5 5 5, so the middle of row 1 becomes mode(5, 8, 5) =
  // 5, not 7.
  EXPECT_EQ(filtered({{5, 7, 5}, {8, 8, 8}, {5, 5, 5}}), (Rows{{5, 7, 5}, {5, 5, 5}, {5, 5, 5}}));
}

TEST(CambiModeFilter, ThinPicturesAreLegal) {
  EXPECT_EQ(filtered({{3, 1, 3}}), (Rows{{3, 1, 3}}));
  EXPECT_EQ(filtered({{3, 1, 3}, {1, 2, 1}}), (Rows{{3, 1, 3}, {1, 2, 1}}));
  EXPECT_EQ(filtered({{3}, {1}, {3}}), (Rows{{3}, {3}, {3}}));
  EXPECT_EQ(filtered({{9, 5}, {7, 6}, {8, 6}}), (Rows{{9, 5}, {7, 6}, {8, 6}}));
}

TEST(CambiModeFilter, EveryImplementationEqualsScalar) {
  unsigned seed = 0;
  for (const Size size : stage_sizes()) {
    for (const Pattern pattern : all_patterns()) {
      const Canvas<uint16_t> image = make_image(pattern, size, kMaxLevel, ++seed);
      Scratch scratch(size.width, 4);
      const std::string where = to_string(pattern) + ", seed " + std::to_string(seed);
      expect_same_planes<uint16_t>(size, where, [&](const CambiStages& stages, PlaneView<uint16_t> out) {
        for (int y = 0; y < size.height; ++y) std::copy_n(image.view().row(y), size.width, out.row(y));
        stages.mode_filter(out, scratch);
      });
    }
  }
}

}  // namespace
}  // namespace vq::cambi::test
