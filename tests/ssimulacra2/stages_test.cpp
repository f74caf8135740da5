#include "feature/ssimulacra2/ssimulacra2.h"

#include "tests/support/implementations.h"

namespace vq::ssimulacra2 {
namespace {

using Implementation = vq::test::Implementation<Stages>;
using vq::test::append;
using vq::test::Bits;
using vq::test::noise;

std::vector<Implementation> implementations() {
  return vq::test::all_implementations(scalar::kStages, simd::stages_for);
}

constexpr int kWidths[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 130};

Bits xyb_by(const Implementation& one, const Plane<float>& light) {
  const int width = light.width();
  Plane<float> out(width, 3);
  one.stages.to_xyb({light.row(0), light.row(1), light.row(2)}, width, {out.row(0), out.row(1), out.row(2)});
  Bits bits;
  for (int i = 0; i < 3; ++i) append(bits, out.row(i), width);
  return bits;
}

TEST(Ssimulacra2Xyb, EveryImplementationHasTheSameBits) {
  for (const int width : kWidths) {
    const Plane<float> light = noise(width, 3, -0.1F, 1.5F, static_cast<unsigned>(width));
    vq::test::expect_same_of_all(implementations(), std::to_string(width),
                                 [&](const Implementation& one) { return xyb_by(one, light); });
  }
}

TEST(Ssimulacra2Halve, EveryImplementationHasTheSameBits) {
  for (const int width : kWidths) {
    const Plane<float> light = noise(width, 2, -0.1F, 1.5F, static_cast<unsigned>(width));
    vq::test::expect_same_of_all(implementations(), std::to_string(width), [&](const Implementation& one) {
      Plane<float> out((width + 1) / 2, 1);
      one.stages.halve_rows(light.row(0), light.row(1), width, out.row(0));
      Bits bits;
      append(bits, out.row(0), out.width());
      return bits;
    });
  }
}

// Of rows p and q all that is compared.
void blur(const Implementation& one, const Plane<float>& pictures, Plane<float>& scratch,
          const QuantityRows<float>& out) {
  const int width = pictures.width();
  for (int i = 0; i < 2; ++i) one.stages.blur_row(pictures.row(i), width, out[static_cast<size_t>(i)]);
  one.stages.blur_mixed(pictures.row(0), pictures.row(1), width, {scratch.row(0), scratch.row(1)},
                        {out[kSquares], out[kDifference]});
}

Bits blurred_by(const Implementation& one, const Plane<float>& pictures) {
  const int width = pictures.width();
  Plane<float> out(width, static_cast<int>(kQuantities)), scratch(width + kMargin, 2);
  QuantityRows<float> rows = {};
  for (size_t i = 0; i < kQuantities; ++i) rows[i] = out.row(static_cast<int>(i));
  blur(one, pictures, scratch, rows);
  Bits bits;
  // Rows in order: what is behind one may be written before the next is.
  for (const float* const row : rows) append(bits, row, width);
  return bits;
}

TEST(Ssimulacra2Blur, EveryImplementationHasTheSameBits) {
  for (const int width : kWidths) {
    Plane<float> pictures(width, 2);
    const Plane<float> values = noise(width, 2, 0, 1, static_cast<unsigned>(width));
    for (int i = 0; i < 2; ++i) std::copy_n(values.row(i), width, pictures.row(i));
    vq::test::expect_same_of_all(implementations(), std::to_string(width),
                                 [&](const Implementation& one) { return blurred_by(one, pictures); });
  }
}

// Rows of pictures and of what blurring along them left, and the sums.
struct Compared {
  Compared(int width, unsigned seed, bool is_identical)
      : pictures(noise(width, 2, 0, 1, seed)), blurred(noise(width, kWindow * 4, 0, 0.4F, seed + 1)) {
    if (!is_identical) return;
    std::copy_n(pictures.row(0), width, pictures.row(1));
    for (int k = 0; k < kWindow; ++k) {
      std::copy_n(blurred.row(4 * k), width, blurred.row(4 * k + 1));
      std::fill_n(blurred.row(4 * k + kSquares), width, 1.0F);
      std::fill_n(blurred.row(4 * k + kDifference), width, 0.0F);
    }
  }

  Bits by(const Implementation& one, unsigned wanted, bool with_local) const {
    const int width = pictures.width();
    CompareInput in = {.p = pictures.row(0), .q = pictures.row(1), .width = width};
    for (int k = 0; k < kWindow; ++k) {
      for (size_t i = 0; i < kQuantities; ++i)
        in.rows[static_cast<size_t>(k)][i] = blurred.row(4 * k + static_cast<int>(i));
    }
    Plane<float> sums(width, static_cast<int>(kSums)), local(width, 1);
    CompareOutput out = {.weights = {0.5F, 2, 3}};
    for (size_t i = 0; i < kSums; ++i) {
      if ((wanted >> i & 1) != 0) out.sums[i] = sums.row(static_cast<int>(i));
      if ((wanted >> (i & ~size_t{1}) & 3) == 0) out.weights[i / kNorms] = 0;
    }
    if (with_local) out.local = local.row(0);
    one.stages.compare_row(in, out);
    out.adds = true;
    one.stages.compare_row(in, out);
    Bits bits;
    for (const float* const row : out.sums) {
      if (row != nullptr) append(bits, row, tiles_of(width) * kTile);
    }
    if (with_local) append(bits, local.row(0), width);
    return bits;
  }

  Plane<float> pictures, blurred;
};

TEST(Ssimulacra2Compare, EveryImplementationHasTheSameBits) {
  for (const int width : kWidths) {
    const Compared compared(width, static_cast<unsigned>(width), false);
    for (const unsigned wanted : {0x3FU, 0x01U, 0x02U, 0x04U, 0x08U, 0x20U, 0x2AU}) {
      for (const bool with_local : {false, true}) {
        vq::test::expect_same_of_all(
            implementations(), std::to_string(width) + ", sums " + std::to_string(wanted),
            [&](const Implementation& one) { return compared.by(one, wanted, with_local); });
      }
    }
  }
}

VideoFormat video(int width, int height) { return {.name = "video", .width = width, .height = height}; }

Plan plan_for(int width, int height, const char* form = "short") {
  Options options;
  options.form = form;
  return Ssimulacra2::make_plan(options, {video(width, height), video(width, height)});
}

int count_sums(const Plan& plan) {
  int count = 0;
  for (const ScalePlan& scale : plan.scales) {
    for (const Weights& weights : scale.weights) {
      for (const double weight : weights) count += weight > 0 ? 1 : 0;
    }
  }
  return count;
}

// Of the 108 weights 52 are not 0, and 25 are above 0.01. The sixth scale has none of these.
TEST(Ssimulacra2Plan, TheShortFormNeedsLess) {
  EXPECT_EQ(count_sums(plan_for(1920, 1080, "exact")), 52);
  const Plan plan = plan_for(1920, 1080);
  EXPECT_EQ(count_sums(plan), 25);
  EXPECT_EQ(plan.scales.size(), 5U);
  EXPECT_FALSE(plan.scales[0].needs(kX));
  EXPECT_TRUE(plan.scales[0].needs(kY));
  EXPECT_FALSE(plan.scales[0].needs(kB));
  EXPECT_EQ(plan.scales[2].weights[kY][sum_index(kStructure, kMean)], 225.20515300849274);
  EXPECT_EQ(plan.scales[4].weights[kB][sum_index(kArtefact, kFourth)], 171.2667255897307);
}

// 300 tiles: in the first 256 each is added to the one 128 behind, then 64 and so on; 44 follow.
TEST(Ssimulacra2Total, AddsByHalves) {
  std::vector<float> tiles(300, 0.0F);
  tiles[0] = 0x1p24F;
  tiles[128] = 1;  // lost: added to the first alone
  tiles[1] = 1;
  tiles[3] = 1;  // these two meet before they meet the first
  tiles[256] = 1;
  EXPECT_EQ(total(tiles), 0x1p24 + 2 + 1);
  EXPECT_EQ(total({}), 0);
}

TEST(Ssimulacra2Total, FoldsTilesByHalves) {
  Plane<float> rows(17, 8);
  std::array<float*, kTile / 2> all = {};
  for (int y = 0; y < 8; ++y) {
    all[static_cast<size_t>(y)] = rows.row(y);
    std::fill_n(rows.row(y), 32, 0.0F);
  }
  rows.row(0)[0] = 0x1p24F;
  rows.row(4)[0] = 1;  // lost
  rows.row(1)[0] = 1;
  rows.row(3)[0] = 1;
  rows.row(7)[16] = 5;
  float tiles[2] = {};
  fold_tiles(all, 17, tiles);
  EXPECT_EQ(tiles[0], 0x1p24F + 2);
  EXPECT_EQ(tiles[1], 5);
}

}  // namespace
}  // namespace vq::ssimulacra2
