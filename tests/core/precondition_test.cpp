// Preconditions that contracts state end the program where they are broken, in builds that check them.
#include "core/plane.h"
#include "tests/cambi/stage_test.h"

#if HWY_IS_DEBUG_BUILD

namespace vq::cambi::test {

TEST(PreconditionDeathTest, RowsLieInTheirPlane) {
  Plane<uint8_t> plane(4, 3);
  EXPECT_DEATH(plane.row(3), "Assert");
  EXPECT_DEATH(plane.row(-1), "Assert");
}

TEST(PreconditionDeathTest, PicturesOfAStageAreOfItsShapes) {
  for (const Implementation& implementation : cpu_implementations()) {
    SCOPED_TRACE(implementation.name);
    Canvas<uint16_t> image(40, 30), smaller(20, 14);
    Canvas<uint8_t> mask(40, 29);
    Canvas<float> values(40, 30);
    Scratch scratch(40, 4);
    const CambiPlan plan = make_test_plan({40, 30}, 9, 2);
    const Stages& stages = implementation.stages;
    CValuePlane sink(40, 30);
    EXPECT_DEATH(stages.spatial_mask(image.view(), 1, scratch, mask.view()), "Assert");
    EXPECT_DEATH(stages.decimate_image(image.view(), smaller.view()), "Assert");
    EXPECT_DEATH(stages.c_values(image.view(), mask.view(), plan, scratch, sink), "Assert");
    EXPECT_DEATH(stages.heatmap(values.view(), 1, smaller.view()), "Assert");
  }
}

TEST(PreconditionDeathTest, ScratchIsLargeEnough) {
  for (const Implementation& implementation : cpu_implementations()) {
    SCOPED_TRACE(implementation.name);
    Canvas<uint16_t> image(130, 9);
    Canvas<uint8_t> mask(130, 9);
    Scratch scratch(64, 4);
    CValuePlane sink(130, 9);
    const Stages& stages = implementation.stages;
    EXPECT_DEATH(stages.mode_filter(image.view(), scratch), "Assert");
    EXPECT_DEATH(stages.spatial_mask(image.view(), 1, scratch, mask.view()), "Assert");
    EXPECT_DEATH(stages.c_values(image.view(), mask.view(), make_test_plan({130, 9}, 9, 2), scratch, sink),
                 "Assert");
  }
}

TEST(PreconditionDeathTest, PoolingStartsWithACount) {
  Pooling pooling(100);
  EXPECT_DEATH(pooling.start(0, 0), "Assert");
  EXPECT_DEATH(pooling.start(Pooling::kSlots, 1), "Assert");
}

}  // namespace vq::cambi::test
#endif
