#include "tests/cambi/stage_test.h"

namespace vq::cambi::test {
namespace {

using Rows = std::vector<std::vector<uint16_t>>;

Rows preprocess_rows(const std::vector<std::vector<int>>& rows, int depth, int encode_depth) {
  const DecodedPlane luma = plane_of(rows, depth);
  const Size size{luma.width(), luma.height()};
  Canvas<uint16_t> image(size.width, size.height);
  EXPECT_TRUE(scalar_stages().preprocess(luma.view(), preprocess_plan(size, size, depth, encode_depth),
                                         image.view()));
  return rows_of<uint16_t>(image.view());
}

TEST(CambiPreprocess, MakesTenBits) {
  EXPECT_EQ(preprocess_rows({{0, 1, 255}}, 8, 10), (Rows{{0, 4, 1020}}));
  EXPECT_EQ(preprocess_rows({{0, 1, 511}}, 9, 10), (Rows{{0, 2, 1022}}));
  EXPECT_EQ(preprocess_rows({{0, 1, 1023}}, 10, 10), (Rows{{0, 1, 1023}}));
  EXPECT_EQ(preprocess_rows({{1, 2, 4095}}, 12, 10), (Rows{{0, 1, 1024}}));
  EXPECT_EQ(preprocess_rows({{31, 32, 65535}}, 16, 10), (Rows{{0, 1, 1024}}));
}

TEST(CambiPreprocess, AveragesTwoByTwoForShallowEncodes) {
  // 4 * {1 2 3; 5 6 7}: inside (4+8+20+24)/4 = 14 and (8+12+24+28)/4 = 18, last column (12+28)/2 = 20, last
  // row (20+24)/2 = 22 and (24+28)/2 = 26, last corner as it is.
  EXPECT_EQ(preprocess_rows({{1, 2, 3}, {5, 6, 7}}, 8, 8), (Rows{{14, 18, 20}, {22, 26, 28}}));
  EXPECT_EQ(preprocess_rows({{9}}, 10, 8), (Rows{{9}}));
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
  for (const Size input : stage_sizes()) {
    const Size encodes[] = {input, {std::max(1, input.width * 2 / 3), std::max(1, input.height * 3 / 4)}};
    for (const Size encode : encodes) {
      for (const int encode_depth : {8, 10}) {
        ++seed;
        const Canvas<uint16_t> samples =
            make_image(all_patterns()[seed % all_patterns().size()], input, (1 << depth) - 1, seed);
        const DecodedPlane luma = decoded(samples.view(), depth, static_cast<int>(seed % 5));
        const CambiPlan plan = preprocess_plan(input, encode, depth, encode_depth);
        const std::string where = "depth " + std::to_string(depth) + ", seed " + std::to_string(seed);
        expect_same_planes<uint16_t>(encode, where, [&](const CambiStages& stages, PlaneView<uint16_t> out) {
          EXPECT_TRUE(stages.preprocess(luma.view(), plan, out)) << where;
        });
      }
    }
  }
}

TEST(CambiPreprocess, EveryImplementationEqualsScalar) {
  for (const int depth : {8, 9, 10, 12, 14, 16}) compare_preprocessed(depth);
}

}  // namespace
}  // namespace vq::cambi::test
