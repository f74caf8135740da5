#include <gmock/gmock.h>

#include "feature/siti/siti.h"
#include "tests/support/implementations.h"
#include "tests/support/stage_test.h"

namespace vq::siti {
namespace {

using namespace vq::test;

std::vector<Implementation<Stages>> implementations() {
  return all_implementations(scalar::kStages, simd::stages_for);
}

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
        for (const auto& [name, stages] : implementations()) {
          EXPECT_EQ(gradients_of(stages, view, kRootBits - bits), expected) << name << ", width " << width;
          EXPECT_EQ(stages.changes(view.row(0), view.row(1), view.width), changes) << name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace vq::siti
