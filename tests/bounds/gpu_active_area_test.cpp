// The passes on the device against the stages' scalar versions.
#include "feature/bounds/bounds.h"
#include "tests/support/gpu_test.h"

namespace vq::bounds {
namespace {

using namespace vq::test;

// Of the second of two frames, so that nothing may be left of the first.
template <typename T>
ActiveArea area_on_device(const TestPlane<T>& plane, const LitRule& rule) {
  const ActiveAreaPasses passes(test_context(), plane.on_device, rule);
  vulkan::Recorder recorder(test_device());
  passes.record(recorder);
  passes.record(recorder);
  run(recorder);
  return passes.area();
}

template <typename T>
ActiveArea area_by_scalar(const TestPlane<T>& plane, const LitRule& rule) {
  NonBlackCounts counts(plane.view().width(), plane.view().height());
  scalar::count_non_black(plane.view(), rule.black, counts);
  return active_area(counts, rule);
}

TEST(BoundsGpuActiveArea, IsWhatIsLit) {
  const TestPlane<uint8_t> plane(40, 20, 3,
                                 [](int x, int y) { return x >= 5 && x < 31 && y >= 2 && y < 17 ? 25 : 24; });
  EXPECT_EQ(area_on_device(plane, {.black = 24}),
            (ActiveArea{.left = 5, .top = 2, .right = 31, .bottom = 17}));
  EXPECT_EQ(area_on_device(plane, {.black = 24, .row_limit = 25, .column_limit = 14}),
            (ActiveArea{.left = 5, .top = 2, .right = 31, .bottom = 17}));
  EXPECT_EQ(area_on_device(plane, {.black = 24, .row_limit = 26, .column_limit = 14}),
            (ActiveArea{.left = 5, .top = 0, .right = 31, .bottom = 0}));
  EXPECT_EQ(area_on_device(plane, {.black = 24, .row_limit = 25, .column_limit = 15}),
            (ActiveArea{.left = 0, .top = 2, .right = 0, .bottom = 17}));
  EXPECT_EQ(area_on_device(plane, {.black = 25}), ActiveArea());
}

// Noise, whose rows and columns are lit or not by a sample more or less; sizes around the vectors of an
// invocation, the tiles of a work group and the work group that looks at the counts.
template <typename T>
void compare_with_scalar(int black, int peak) {
  unsigned seed = 0;
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
    const int width = size.width, height = size.height;
    std::minstd_rand random(++seed);
    const TestPlane<T> plane(width, height, 3, [&](int x, int y) {
      const bool is_inside =
          x >= width / 4 && x < width - width / 5 && y >= height / 5 && y < height - height / 4;
      return random() % 100 < (is_inside ? 50U : 4U)
                 ? black + 1 + static_cast<int>(random() % static_cast<unsigned>(peak - black))
                 : static_cast<int>(random() % static_cast<unsigned>(black + 1));
    });
    for (const int percent : {0, 3, 5, 40, 50}) {
      const LitRule rule = {
          .black = black, .row_limit = width * percent / 100, .column_limit = height * percent / 100};
      ASSERT_EQ(area_on_device(plane, rule), area_by_scalar(plane, rule))
          << width << "x" << height << ", " << percent << " %";
    }
  }
}

TEST(BoundsGpuActiveArea, EqualsScalar) {
  compare_with_scalar<uint8_t>(24, 255);
  compare_with_scalar<uint8_t>(0, 255);
  compare_with_scalar<uint16_t>(96, 1023);
  compare_with_scalar<uint16_t>(60160, 65535);
}

TEST(BoundsGpuActiveArea, SeesEverySampleAndNothingBehindARow) {
  for (int width = 1; width <= 130; width += width < 20 ? 1 : 11) {
    for (const int marked : {0, width / 2, width - 1}) {
      const TestPlane<uint8_t> bytes(width, 3, 3,
                                     [&](int x, int y) { return x == marked && y == 1 ? 25 : 24; });
      const TestPlane<uint16_t> words(width, 3, 3,
                                      [&](int x, int y) { return x == marked && y == 1 ? 6145 : 6144; });
      const ActiveArea expected = {.left = marked, .top = 1, .right = marked + 1, .bottom = 2};
      ASSERT_EQ(area_on_device(bytes, {.black = 24}), expected) << "x=" << marked << " of " << width;
      ASSERT_EQ(area_on_device(words, {.black = 6144}), expected) << "x=" << marked << " of " << width;
    }
  }
}

}  // namespace
}  // namespace vq::bounds
