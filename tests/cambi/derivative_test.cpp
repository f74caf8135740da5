#include "tests/cambi/stage_test.h"

namespace vq::cambi::test {
namespace {

TEST(CambiDerivative, MarksSamplesEqualToRightAndBelow) {
  const auto image = canvas_of<uint16_t>({{1, 1, 2}, {1, 1, 2}, {3, 1, 2}});
  Canvas<uint8_t> flat(3, 3);
  scalar::derivative(image.view(), flat.view());
  EXPECT_EQ(rows_of<uint8_t>(flat.view()),
            (std::vector<std::vector<uint8_t>>{{1, 0, 1}, {0, 0, 1}, {0, 0, 1}}));
}

TEST(CambiDerivative, ANeighbourOutsideThePictureCountsAsEqual) {
  const auto image = canvas_of<uint16_t>({{7}});
  Canvas<uint8_t> flat(1, 1);
  scalar::derivative(image.view(), flat.view());
  EXPECT_EQ(flat.view().row(0)[0], 1);
}

}  // namespace
}  // namespace vq::cambi::test
