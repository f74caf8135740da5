#include "tests/cambi/stage_test.h"

namespace vq::cambi::test {
namespace {

using Rows = std::vector<std::vector<uint16_t>>;

template <typename T>
Rows preprocess_rows(const std::vector<std::vector<T>>& rows, int depth, int encode_depth) {
  Luma<T> luma(static_cast<int>(rows[0].size()), static_cast<int>(rows.size()),
               static_cast<int>(rows[0].size()));
  for (size_t y = 0; y < rows.size(); ++y)
    std::copy(rows[y].begin(), rows[y].end(), luma.plane.row(static_cast<int>(y)));
  const Size size{luma.plane.width, luma.plane.height};
  Canvas<uint16_t> image(size.width, size.height);
  EXPECT_TRUE(scalar_stages().preprocess(luma.view(), preprocess_plan(size, size, depth, encode_depth),
                                         image.view()));
  return rows_of<uint16_t>(image.view());
}

TEST(CambiPreprocess, MakesTenBits) {
  EXPECT_EQ(preprocess_rows<uint8_t>({{0, 1, 255}}, 8, 10), (Rows{{0, 4, 1020}}));
  EXPECT_EQ(preprocess_rows<uint16_t>({{0, 1, 511}}, 9, 10), (Rows{{0, 2, 1022}}));
  EXPECT_EQ(preprocess_rows<uint16_t>({{0, 1, 1023}}, 10, 10), (Rows{{0, 1, 1023}}));
  EXPECT_EQ(preprocess_rows<uint16_t>({{1, 2, 4095}}, 12, 10), (Rows{{0, 1, 1024}}));
  EXPECT_EQ(preprocess_rows<uint16_t>({{31, 32, 65535}}, 16, 10), (Rows{{0, 1, 1024}}));
}

TEST(CambiPreprocess, AveragesTwoByTwoForShallowEncodes) {
  // 4 * {1 2 3; 5 6 7}: inside (4+8+20+24)/4 = 14 and (8+12+24+28)/4 = 18, last column (12+28)/2 = 20, last
  // row (20+24)/2 = 22 and (24+28)/2 = 26, last corner as it is.
  EXPECT_EQ(preprocess_rows<uint8_t>({{1, 2, 3}, {5, 6, 7}}, 8, 8), (Rows{{14, 18, 20}, {22, 26, 28}}));
  EXPECT_EQ(preprocess_rows<uint16_t>({{9}}, 10, 8), (Rows{{9}}));
}

TEST(CambiPreprocess, RefusesSamplesAboveTheDepth) {
  for (const Implementation& implementation : cpu_implementations()) {
    for (const int x : {0, 1, 40, 69}) {
      Luma<uint16_t> luma(70, 3, 71);
      luma.plane.row(2)[x] = 1024;
      const CambiPlan plan =
          preprocess_plan({70, 3}, {5, 2}, 10, 10);  // refused though scaling skips the sample
      Canvas<uint16_t> image(5, 2);
      EXPECT_FALSE(implementation.stages->preprocess(luma.view(), plan, image.view()))
          << implementation.name << x;
      luma.plane.row(2)[x] = 1023;
      EXPECT_TRUE(implementation.stages->preprocess(luma.view(), plan, image.view()))
          << implementation.name << x;
    }
  }
}

TEST(CambiPreprocess, NeverReadsThePaddingOfARow) {
  for (const Implementation& implementation : cpu_implementations()) {
    Luma<uint16_t> luma(33, 4, 40);
    std::fill(luma.samples.begin(), luma.samples.end(), uint16_t{0xFFFF});
    for (int y = 0; y < 4; ++y) std::fill_n(luma.plane.row(y), 33, uint16_t{5});
    Canvas<uint16_t> image(33, 4);
    ASSERT_TRUE(implementation.stages->preprocess(luma.view(), preprocess_plan({33, 4}, {33, 4}, 10, 8),
                                                  image.view()));
    EXPECT_EQ(rows_of<uint16_t>(image.view()), Rows(4, std::vector<uint16_t>(33, 5))) << implementation.name;
  }
}

template <typename T>
void compare_preprocessed(int depth) {
  unsigned seed = static_cast<unsigned>(depth);
  for (const Size input : stage_sizes()) {
    const Size encodes[] = {input, {std::max(1, input.width * 2 / 3), std::max(1, input.height * 3 / 4)}};
    for (const Size encode : encodes) {
      for (const int encode_depth : {8, 10}) {
        ++seed;
        const Canvas<uint16_t> samples =
            make_image(all_patterns()[seed % all_patterns().size()], input, (1 << depth) - 1, seed);
        const Luma<T> luma(samples.view(), static_cast<int>(seed % 5));
        const CambiPlan plan = preprocess_plan(input, encode, depth, encode_depth);
        Canvas<uint16_t> expected(encode.width, encode.height);
        ASSERT_TRUE(scalar_stages().preprocess(luma.view(), plan, expected.view()));
        for (const Implementation& implementation : cpu_implementations()) {
          Canvas<uint16_t> actual(encode.width, encode.height, seed);
          ASSERT_TRUE(implementation.stages->preprocess(luma.view(), plan, actual.view()));
          ASSERT_TRUE(same_plane<uint16_t>(expected.view(), actual.view()))
              << implementation.name << ", depth " << depth << ", seed " << seed;
          ASSERT_TRUE(actual.intact()) << implementation.name;
        }
      }
    }
  }
}

TEST(CambiPreprocess, EveryImplementationEqualsScalar) {
  compare_preprocessed<uint8_t>(8);
  for (const int depth : {9, 10, 12, 14, 16}) compare_preprocessed<uint16_t>(depth);
}

}  // namespace
}  // namespace vq::cambi::test
