#include <gtest/gtest.h>

#include "feature/itp/itp.h"
#include "tests/support/implementations.h"
#include "tests/support/stage_test.h"

namespace vq::itp {
namespace {

using namespace vq::test;

Plan plan_of(Transfer transfer, Primaries primaries, double white = 100) {
  const VideoFormat video = {.name = "clip",
                             .width = 64,
                             .height = 64,
                             .bit_depth = 10,
                             .transfer = transfer,
                             .matrix = Matrix::kBt2020,
                             .primaries = primaries};
  Options options;
  options.white = white;
  return Itp::make_plan(options, {.distorted = video, .reference = video});
}

struct Found {
  std::vector<uint32_t> amounts;
  PqErrors errors;
  bool operator==(const Found&) const = default;
};

Found found_in(const Stages& stages, PlaneView<const float> first, PlaneView<const float> second,
               const Plan& plan) {
  Canvas<uint32_t> out(first.width, 1);
  const Compared compared = {{first.row(0), first.row(1), first.row(2)},
                             {second.row(0), second.row(1), second.row(2)},
                             plan.distorted_matrices,
                             plan.reference_matrices};
  Found found{.amounts = {}, .errors = stages.differences(compared, first.width, out.view().row(0))};
  found.amounts.assign(out.view().row(0), out.view().row(0) + first.width);
  EXPECT_TRUE(out.intact());
  return found;
}

// Light over 37 octaves and outside of them, negative light, and all widths around vectors.
TEST(ItpDifferences, AreTheSameOnEveryInstructionSet) {
  std::minstd_rand random(1);
  const auto light = [&](int x, int) {
    const float size =
        std::ldexp(1 + static_cast<float>(random() % 1024) / 1024, static_cast<int>(random() % 44) - 36);
    return x % 7 == 0 ? -size : x % 11 == 0 ? 0 : size;
  };
  for (const Transfer transfer : {Transfer::kPq, Transfer::kHlg, Transfer::kBt1886}) {
    const Plan plan = plan_of(transfer, transfer == Transfer::kHlg ? Primaries::kBt709 : Primaries::kBt2020);
    for (int width = 1; width <= 70; ++width) {
      const auto first = drawn<float>(width, 3, light, 2), second = drawn<float>(width, 3, light, 3);
      expect_same_of_all(
          all_implementations(scalar::kStages, simd::stages_for), "width " + std::to_string(width),
          [&](const auto& one) { return found_in(one.stages, first.view(), second.view(), plan); });
    }
  }
}

TEST(ItpPlan, ScalesLightAndTakesBt709ToBt2020) {
  EXPECT_FLOAT_EQ(plan_of(Transfer::kPq, Primaries::kBt2020).distorted_matrices[kRgb][0], 1);
  EXPECT_FLOAT_EQ(plan_of(Transfer::kHlg, Primaries::kBt2020).distorted_matrices[kRgb][0], 10);
  EXPECT_FLOAT_EQ(plan_of(Transfer::kBt1886, Primaries::kBt2020, 203).distorted_matrices[kRgb][0], 2.03F);
  EXPECT_FLOAT_EQ(plan_of(Transfer::kPq, Primaries::kBt709).distorted_matrices[kRgb][1], 0.32928303F);
}

}  // namespace
}  // namespace vq::itp
