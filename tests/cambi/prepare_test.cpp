// The stages from luma to the image and mask of a scale: every implementation, that of a device as well,
// against the scalar one.
#include "tests/cambi/stage_test.h"

namespace vq::cambi::test {
namespace {

using Rows = std::vector<std::vector<uint16_t>>;
std::vector<Size> sizes() {
  std::vector<Size> sizes = stage_sizes();
  if (added_implementations<Stages>().empty()) return sizes;
  // Around the tiles of a device's work group, and thin strips.
  for (const int width : {255, 256, 258, 263, 511, 520}) sizes.push_back({width, 1 + width % 70});
  sizes.insert(sizes.end(), {{4000, 3}, {3, 900}, {640, 360}});
  return sizes;
}

TEST(CambiPreprocess, RefusesSamplesAboveTheDepth) {
  for (const Implementation& implementation : cpu_implementations()) {
    for (const int x : {0, 1, 40, 69}) {
      DecodedPlane luma = DecodedPlane(70, 3, 10).flat(0);
      luma.set(x, 2, 1024);
      const CambiPlan plan =
          preprocess_plan({70, 3}, {5, 2}, 10, 10);  // refused though scaling skips the sample
      Canvas<uint16_t> image(5, 2);
      EXPECT_FALSE(implementation.stages.preprocess(luma.view(), plan, image.view()))
          << implementation.name << x;
      luma.set(x, 2, 1023);
      EXPECT_TRUE(implementation.stages.preprocess(luma.view(), plan, image.view()))
          << implementation.name << x;
    }
  }
}

TEST(CambiPreprocess, NeverReadsThePaddingOfARow) {
  for (const Implementation& implementation : cpu_implementations()) {
    const DecodedPlane luma = DecodedPlane(33, 4, 10, 7).flat(5);
    Canvas<uint16_t> image(33, 4);
    ASSERT_TRUE(implementation.stages.preprocess(luma.view(), preprocess_plan({33, 4}, {33, 4}, 10, 8),
                                                 image.view()));
    EXPECT_EQ(rows_of<uint16_t>(image.view()), Rows(4, std::vector<uint16_t>(33, 5))) << implementation.name;
  }
}

void compare_preprocessed(int depth) {
  unsigned seed = static_cast<unsigned>(depth);
  for (const Size input : sizes()) {
    const Size encodes[] = {input, {std::max(1, input.width * 2 / 3), std::max(1, input.height * 3 / 4)}};
    for (const Size encode : encodes) {
      for (const int encode_depth : {8, 10}) {
        ++seed;
        const Canvas<uint16_t> samples =
            make_image(all_patterns()[seed % all_patterns().size()], input, (1 << depth) - 1, seed);
        const DecodedPlane luma = decoded(samples.view(), depth, static_cast<int>(seed % 5));
        const CambiPlan plan = preprocess_plan(input, encode, depth, encode_depth);
        const std::string where = "depth " + std::to_string(depth) + ", seed " + std::to_string(seed);
        expect_same_planes<uint16_t>(encode, where, [&](const Stages& stages, PlaneView<uint16_t> out) {
          EXPECT_TRUE(stages.preprocess(luma.view(), plan, out)) << where;
        });
      }
    }
  }
}

TEST(CambiPreprocess, EveryImplementationEqualsScalar) {
  for (const int depth : {8, 9, 10, 12, 14, 16}) compare_preprocessed(depth);
}

TEST(CambiMask, EveryImplementationIsDerivativeThenMask) {
  // The last is beyond any plan; devices take no more than 127.
  const bool is_on_device = !added_implementations<Stages>().empty();
  const std::vector<int> thresholds = {-1, 0, 5, 11, 24, 31, 48, 49, is_on_device ? 100 : 300};
  unsigned seed = 0;
  for (const Size size : sizes()) {
    for (const Pattern pattern : all_patterns()) {
      const Canvas<uint16_t> image = make_image(pattern, size, kMaxLevel, ++seed);
      const int threshold = thresholds[seed % thresholds.size()];
      Scratch scratch(size.width, 4);
      Canvas<uint8_t> flat(size.width, size.height), expected(size.width, size.height);
      scalar::derivative(image.view(), flat.view());
      scalar::mask(flat.view(), threshold, scratch, expected.view());
      const std::string where = "threshold " + std::to_string(threshold) + ", seed " + std::to_string(seed);
      expect_same_planes<uint8_t>(size, where, [&](const Stages& stages, PlaneView<uint8_t> out) {
        stages.spatial_mask(image.view(), threshold, scratch, out);
        EXPECT_TRUE(same_plane<uint8_t>(expected.view(), out)) << where;
      });
    }
  }
}

template <typename T>
void compare_with_scalar(void (*Stages::*stage)(PlaneView<const T>, PlaneView<T>), const Canvas<T>& in,
                         Size size) {
  const int width = (size.width + 1) / 2, height = (size.height + 1) / 2;
  Canvas<T> expected(width, height);
  (scalar::kStages.*stage)(in.view(), expected.view());
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
  for (const Size size : sizes()) {
    compare_with_scalar(&Stages::decimate_image, make_image(Pattern::kNoise, size, kMaxLevel, ++seed), size);
    compare_with_scalar(&Stages::decimate_mask, make_mask(size, seed), size);
  }
}

Rows filtered(const Rows& rows) {
  Canvas<uint16_t> image = canvas_of<uint16_t>(rows);
  Scratch scratch(static_cast<int>(rows[0].size()), 1);
  scalar::mode_filter(image.view(), scratch);
  return rows_of<uint16_t>(image.view());
}

TEST(CambiModeFilter, ThinPicturesAreLegal) {
  EXPECT_EQ(filtered({{3, 1, 3}}), (Rows{{3, 1, 3}}));
  EXPECT_EQ(filtered({{3, 1, 3}, {1, 2, 1}}), (Rows{{3, 1, 3}, {1, 2, 1}}));
  EXPECT_EQ(filtered({{3}, {1}, {3}}), (Rows{{3}, {3}, {3}}));
  EXPECT_EQ(filtered({{9, 5}, {7, 6}, {8, 6}}), (Rows{{9, 5}, {7, 6}, {8, 6}}));
}

TEST(CambiModeFilter, EveryImplementationEqualsScalar) {
  unsigned seed = 0;
  for (const Size size : sizes()) {
    for (const Pattern pattern : all_patterns()) {
      const Canvas<uint16_t> image = make_image(pattern, size, kMaxLevel, ++seed);
      Scratch scratch(size.width, 4);
      const std::string where = to_string(pattern) + ", seed " + std::to_string(seed);
      expect_same_planes<uint16_t>(size, where, [&](const Stages& stages, PlaneView<uint16_t> out) {
        for (int y = 0; y < size.height; ++y) std::copy_n(image.view().row(y), size.width, out.row(y));
        stages.mode_filter(out, scratch);
      });
    }
  }
}

void compare_prepared(int depth) {
  unsigned seed = 100 * static_cast<unsigned>(depth);
  for (const Size input : stage_sizes()) {
    const Size encodes[] = {input, {std::max(1, input.width * 2 / 3), std::max(1, input.height * 3 / 4)}};
    for (const Size encode : encodes) {
      for (const bool halve_first : {false, true}) {
        ++seed;
        const Pattern pattern = all_patterns()[seed % all_patterns().size()];
        const Canvas<uint16_t> samples = make_image(pattern, input, (1 << depth) - 1, seed);
        const DecodedPlane luma = decoded(samples.view(), depth, static_cast<int>(seed % 3));
        CambiPlan plan = preprocess_plan(input, encode, depth, seed / 8 % 2 == 0 ? 8 : 10);
        plan.halve_first = halve_first;
        Scratch scratch(encode.width, 4);
        Canvas<uint16_t> image(encode.width, encode.height);
        Canvas<uint8_t> mask(encode.width, encode.height);
        ASSERT_TRUE(scalar::prepare(luma.view(), plan, scratch, image.view(), mask.view()));
        for (const Implementation& implementation : cpu_implementations()) {
          Canvas<uint16_t> own_image(encode.width, encode.height, seed);
          Canvas<uint8_t> own_mask(encode.width, encode.height, seed);
          ASSERT_TRUE(
              implementation.stages.prepare(luma.view(), plan, scratch, own_image.view(), own_mask.view()));
          const std::string where = implementation.name + ", " + to_string(pattern) + ", depth " +
                                    std::to_string(depth) + ", seed " + std::to_string(seed);
          ASSERT_TRUE(same_plane<uint16_t>(image.view(), own_image.view())) << where;
          ASSERT_TRUE(same_plane<uint8_t>(mask.view(), own_mask.view())) << where;
          ASSERT_TRUE(own_image.intact() && own_mask.intact()) << implementation.name;
        }
      }
    }
  }
}

TEST(CambiPrepare, EveryImplementationEqualsScalar) {
  for (const int depth : {8, 9, 10, 16}) compare_prepared(depth);
}

TEST(CambiPrepare, RefusesSamplesAboveTheDepthInAnyRow) {
  for (const Implementation& implementation : cpu_implementations()) {
    for (const int y : {0, 1, 7, 20}) {
      DecodedPlane luma = DecodedPlane(40, 21, 10).flat(0);
      luma.set(39, y, 1024);
      const CambiPlan plan = preprocess_plan({40, 21}, {40, 21}, 10, 8);
      Scratch scratch(40, 4);
      Canvas<uint16_t> image(40, 21);
      Canvas<uint8_t> mask(40, 21);
      EXPECT_FALSE(implementation.stages.prepare(luma.view(), plan, scratch, image.view(), mask.view()))
          << implementation.name << y;
      luma.set(39, y, 1023);
      EXPECT_TRUE(implementation.stages.prepare(luma.view(), plan, scratch, image.view(), mask.view()))
          << implementation.name << y;
    }
  }
}

}  // namespace
}  // namespace vq::cambi::test
