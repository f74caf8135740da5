#include <gmock/gmock.h>

#include "feature/siti/siti.h"
#include "tests/support/implementations.h"
#include "tests/support/stage_test.h"

namespace vq::siti {
namespace {

using namespace vq::test;

GradientSums gradients_of(const Stages& stages, PlaneView<const int32_t> rows, int shift) {
  return stages.gradients({rows.row(0), rows.row(1), rows.row(2)}, rows.width, shift);
}

// Of each depth, the largest values and noise, of every width up to two vectors and more, and of the longest
// row. Roots are compared with squares of whole numbers.
TEST(SitiSums, AreExactOnEveryInstructionSet) {
  for (const int bits : {8, 10, 16}) {
    std::minstd_rand random(static_cast<unsigned>(bits));
    for (int width = 3; width <= 3 * 70; width += width < 40 ? 1 : 37) {
      for (const bool is_extreme : {false, true}) {
        const auto level = [&](int, int) {
          const auto noise = static_cast<int32_t>(random() >> 8);
          return is_extreme ? (noise & 1) * ((1 << bits) - 1) : noise & ((1 << bits) - 1);
        };
        const auto rows = drawn<int32_t>(width == 3 * 70 ? kMaxSide : width, 3, level);
        const PlaneView<const int32_t> view = rows.view();
        GradientSums expected;
        for (int x = 1; x + 1 < view.width; ++x) {
          const auto at = [&](int i, int y) { return int64_t{view.row(1 + y)[x + i]}; };
          const int64_t gx = at(-1, -1) + 2 * at(-1, 0) + at(-1, 1) - at(1, -1) - 2 * at(1, 0) - at(1, 1),
                        gy = at(-1, -1) + 2 * at(0, -1) + at(1, -1) - at(-1, 1) - 2 * at(0, 1) - at(1, 1);
          const auto square = static_cast<uint64_t>(gx * gx + gy * gy) << (2 * (kRootBits - bits));
          auto g = static_cast<uint64_t>(std::sqrt(static_cast<double>(square)));
          while (g * g > square) --g;
          while ((g + 1) * (g + 1) <= square) ++g;
          if (square > g * g + g) ++g;
          expected.sum += g;
          expected.squares += g * g;
        }
        const ChangeSums changes = scalar::changes(view.row(0), view.row(1), view.width);
        for (const auto& [name, stages] : all_implementations(scalar::kStages, simd::stages_for)) {
          EXPECT_EQ(gradients_of(stages, view, kRootBits - bits), expected) << name << ", width " << width;
          EXPECT_EQ(stages.changes(view.row(0), view.row(1), view.width), changes) << name;
        }
      }
    }
  }
}

Plan plan_of(const Options& options, const VideoFormat& video) {
  return Siti::make_plan(options, {.distorted = video, .reference = {}});
}

TEST(SitiPlan, SpreadsLimitedRangeAndCodesLight) {
  const VideoFormat video = {.name = "clip", .width = 64, .height = 64};
  VideoFormat full = video, hdr = video;
  full.range = Range::kFull;
  hdr.bit_depth = 10;
  hdr.transfer = Transfer::kPq;
  const Plan legacy = plan_of({}, video);
  for (const auto& [code, value] : {std::pair{0U, 0U}, {16, 0}, {17, 1}, {126, 128}, {235, 255}, {255, 255}})
    EXPECT_EQ(legacy.table[code], value) << code;
  EXPECT_EQ(plan_of({}, full).table[77], 77U);
  EXPECT_DOUBLE_EQ(plan_of({.form = kFull}, video).unit, 255.0 / 219);
  const Plan pq = plan_of({.form = kPq}, hdr);
  EXPECT_EQ(pq.bits, 16);
  EXPECT_EQ(pq.table[64], 0U);
  EXPECT_EQ(pq.table[502], 32768U);  // the middle
  EXPECT_EQ(pq.table[940], 65535U);
  // 0.1 and 300 cd/m2.
  EXPECT_THAT(plan_of({.form = kPq}, video).table[16],
              ::testing::AllOf(::testing::Gt(4000U), ::testing::Lt(4200U)));
  EXPECT_EQ(plan_of({.form = kPq, .transfer = "hlg"}, hdr).table[940],
            plan_of({.form = kPq, .transfer = "hlg"}, hdr).table[1023]);
}

}  // namespace
}  // namespace vq::siti
