// The passes on the device against the stages' scalar versions.
#include "feature/bounds/bounds.h"
#include "tests/support/gpu_test.h"

namespace vq::bounds {
namespace {

using namespace vq::test;

// Of the second of two frames, so that nothing may be left of the first. What is beside the plane is noise.
void expect_scalar(const DecodedPlane& plane, const LitRule& rule) {
  const vulkan::DevicePlane there = to_device(plane.view());
  const ActiveAreaPasses passes(test_context(), there, rule);
  vulkan::Recorder recorder(test_device());
  passes.record(recorder);
  passes.record(recorder);
  run(recorder);
  NonBlackCounts counts(plane.width(), plane.height());
  scalar::count_non_black(plane.view(), rule.black, counts);
  ASSERT_EQ(passes.area(), active_area(counts, rule))
      << plane.width() << "x" << plane.height() << ", " << rule.row_limit << ", " << rule.column_limit;
}

// Noise, whose rows and columns are lit or not by a sample more or less; sizes around the vectors of an
// invocation, the tiles of a work group and the work group that looks at the counts.
TEST(BoundsGpuActiveArea, EqualsScalar) {
  unsigned seed = 0;
  for (const auto& [black, depth] : {std::pair{24, 8}, {0, 8}, {96, 10}, {60160, 16}}) {
    for (const PlaneSize size : {PlaneSize{1, 1},
                                 {7, 3},
                                 {8, 64},
                                 {9, 65},
                                 {130, 63},
                                 {255, 2},
                                 {256, 64},
                                 {257, 129},
                                 {2, 600},
                                 {640, 360}}) {
      const int width = size.width, height = size.height, dark = black, peak = (1 << depth) - 1;
      std::minstd_rand random(++seed);
      const DecodedPlane plane = DecodedPlane(width, height, depth).fill([&](int x, int y) {
        const bool is_inside =
            x >= width / 4 && x < width - width / 5 && y >= height / 5 && y < height - height / 4;
        return random() % 100 < (is_inside ? 50U : 4U)
                   ? dark + 1 + static_cast<int>(random() % static_cast<unsigned>(peak - dark))
                   : static_cast<int>(random() % static_cast<unsigned>(dark + 1));
      });
      for (const int percent : {0, 3, 5, 40, 50})
        expect_scalar(plane, {black, width * percent / 100, height * percent / 100});
    }
  }
}

TEST(BoundsGpuActiveArea, SeesEverySample) {
  for (const auto& [black, depth] : {std::pair{24, 8}, {6144, 16}}) {
    for (int width = 1; width <= 130; width += width < 20 ? 1 : 11) {
      for (const int marked : {0, width / 2, width - 1}) {
        DecodedPlane plane = DecodedPlane(width, 3, depth).flat(black);
        plane.set(marked, 1, black + 1);
        expect_scalar(plane, {.black = black});
      }
    }
  }
}

}  // namespace
}  // namespace vq::bounds
