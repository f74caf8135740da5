#include "tests/cambi/stage_test.h"

namespace vq::cambi::test {
namespace {

TEST(CambiDecimate, KeepsEverySecondSample) {
  const auto image = canvas_of<uint16_t>({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  Canvas<uint16_t> half(2, 2);
  scalar_stages().decimate_image(image.view(), half.view());
  EXPECT_EQ(rows_of<uint16_t>(half.view()), (std::vector<std::vector<uint16_t>>{{1, 3}, {7, 9}}));
}

template <typename T>
void compare_with_scalar(void (*CambiStages::*stage)(PlaneView<const T>, PlaneView<T>), const Canvas<T>& in,
                         Size size) {
  const int width = (size.width + 1) / 2, height = (size.height + 1) / 2;
  Canvas<T> expected(width, height);
  (scalar_stages().*stage)(in.view(), expected.view());
  for (const Implementation& implementation : cpu_implementations()) {
    Canvas<T> apart(width, height);
    (implementation.stages.*stage)(in.view(), apart.view());
    ASSERT_TRUE(same_plane<T>(expected.view(), apart.view())) << implementation.name;
    ASSERT_TRUE(apart.intact()) << implementation.name;

    Canvas<T> in_place(in.view());
    PlaneView<T> out = in_place.view();
    out.width = width;
    out.height = height;
    (implementation.stages.*stage)(in_place.view(), out);
    ASSERT_TRUE(same_plane<T>(expected.view(), out)) << implementation.name << ", in place";
    ASSERT_TRUE(in_place.intact()) << implementation.name;
  }
}

TEST(CambiDecimate, EveryImplementationEqualsScalar) {
  unsigned seed = 0;
  for (const Size size : stage_sizes()) {
    compare_with_scalar(&CambiStages::decimate_image, make_image(Pattern::kNoise, size, kMaxLevel, ++seed),
                        size);
    compare_with_scalar(&CambiStages::decimate_mask, make_mask(size, seed), size);
  }
}

}  // namespace
}  // namespace vq::cambi::test
