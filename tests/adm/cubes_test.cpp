#include <gmock/gmock.h>

#include "tests/adm/rows.h"

namespace vq::adm::test {
namespace {

using ::testing::ElementsAre;

// A row, and what masks it.
class MaskedRow {
 public:
  explicit MaskedRow(const ScalePlan& plan) : plan_(plan), rows_(plan.width, 7) {
    for (int i = 0; i < 7; ++i) std::fill_n(rows_.row(i) - 1, plan.width + 2, 0);
  }
  int32_t* signal(int band) { return rows_.row(band); }
  int32_t* side(int row) { return rows_.row(4 + row); }
  int32_t* centre() { return rows_.row(3); }
  // Factors up to 16 bits make what is weighted at the finest scale, thresholds are small against that.
  void fill(int64_t most_signal, int64_t most_mask, unsigned seed) {
    for (int i = 0; i < 3; ++i) rows_.fill(i, most_signal, seed + static_cast<unsigned>(i));
    for (int i = 3; i < 7; ++i) rows_.fill(i, most_mask, seed + static_cast<unsigned>(i));
  }
  PerBand<int64_t> run(const AdmStages& stages) {
    return stages.masked_cubes(detail_of(rows_), {rows_.row(4), rows_.row(5), rows_.row(6), rows_.row(3)},
                               plan_);
  }

 private:
  ScalePlan plan_;
  Rows<int32_t> rows_;
};

TEST(AdmReferenceCubes, AddUpOverThePartThatCounts) {
  const ScalePlan plan = scale_plan(0, {200, 200});  // columns 9 to 90 of 100
  ASSERT_EQ(plan.columns.first, 9);
  ASSERT_EQ(plan.columns.end, 91);
  for (const Implementation& implementation : implementations()) {
    Rows<int32_t> rows(plan.width, 3);
    for (int i = 0; i < 3; ++i) std::fill_n(rows.row(i), plan.width, 0);
    rows.row(0)[9] = 10;
    rows.row(0)[90] = -20;
    rows.row(1)[8] = rows.row(1)[91] = 1000;  // does not count
    rows.row(2)[50] = -22930;
    EXPECT_THAT(implementation.stages.reference_cubes(detail_of(rows), plan),
                ElementsAre(9000, 0, uint64_t{22930} * 22930 * 22930))
        << implementation.name;
  }
}

// At scale 1: ((2^40 + 2^31) >> 31) * 2^20, rounded and shifted by the width's logarithm.
TEST(AdmReferenceCubes, OfCoarseScalesAreRoundedOneByOne) {
  const ScalePlan plan = scale_plan(1, {400, 400});  // 82 columns count: 7 bits
  for (const Implementation& implementation : implementations()) {
    Rows<int32_t> rows(plan.width, 3);
    for (int i = 0; i < 3; ++i) std::fill_n(rows.row(i), plan.width, 0);
    rows.row(0)[50] = rows.row(0)[60] = 1 << 20;
    EXPECT_EQ(implementation.stages.reference_cubes(detail_of(rows), plan)[0],
              uint64_t{2} * ((513 << 20) >> 7))
        << implementation.name;
  }
}

TEST(AdmReferenceCubes, EveryImplementationEqualsScalar) {
  for (int scale = 0; scale < kScales; ++scale) {
    for (int width = 33; width < 600; width += width < 300 ? 1 : 11) {
      const ScalePlan plan = scale_plan(scale, {width, 64});
      Rows<int32_t> rows(plan.width, 3);
      for (int i = 0; i < 3; ++i) rows.fill(i, kMost[scale], static_cast<unsigned>(width * 3 + i));
      vq::test::expect_same_of_all(
          implementations(), "scale " + std::to_string(scale) + ", width " + std::to_string(width),
          [&](const Implementation& one) { return one.stages.reference_cubes(detail_of(rows), plan); });
    }
  }
}

// 2^25 at the finest scale, whose threshold counts 2^10 times: 2^25 - 5 * 2^10, whose cube loses 29 bits and
// then 3.
TEST(AdmMaskedCubes, AreOfWhatExceedsTheNeighboursAndTheSampleItself) {
  const ScalePlan plan = scale_plan(0, {200, 200});
  const int64_t excess = (1 << 25) - 5 * 1024;
  const int64_t square = (excess * excess + (1 << 28)) >> 29;
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    MaskedRow row(plan);
    row.signal(0)[50] = -(1 << 25);
    row.side(0)[49] = 1;   // above left
    row.side(2)[51] = 1;   // below right
    row.side(1)[51] = 1;   // right
    row.side(1)[50] = 99;  // its own does not count
    row.centre()[50] = 2;
    EXPECT_THAT(row.run(implementation.stages), ElementsAre((square * excess + 4) >> 3, 0, 0));
    row.side(1)[49] = 1 << 16;
    EXPECT_THAT(row.run(implementation.stages), ElementsAre(0, 0, 0));
  }
}

// Where the shifted square passes 31 bits it turns negative, and so does the cube.
TEST(AdmMaskedCubes, WrapAsTheReferenceDoes) {
  const ScalePlan plan = scale_plan(0, {200, 200});
  for (const Implementation& implementation : implementations()) {
    MaskedRow row(plan);
    row.signal(1)[50] = 1500000000;
    EXPECT_LT(row.run(implementation.stages)[1], 0) << implementation.name;
  }
}

TEST(AdmMaskedCubes, EveryImplementationEqualsScalar) {
  for (int scale = 0; scale < kScales; ++scale) {
    for (int width = 33; width < 600; width += width < 300 ? 1 : 11) {
      const ScalePlan plan = scale_plan(scale, {width, 64});
      for (const int64_t mask : {int64_t{100}, int64_t{98301}, int64_t{2147483647}}) {
        MaskedRow row(plan);
        row.fill(scale == 0 ? 1502717550 : 2147483647, mask, static_cast<unsigned>(width * 4 + scale));
        const std::string where = "scale " + std::to_string(scale) + ", width " + std::to_string(width) +
                                  ", masks up to " + std::to_string(mask);
        vq::test::expect_same_of_all(implementations(), where,
                                     [&](const Implementation& one) { return row.run(one.stages); });
      }
    }
  }
}

}  // namespace
}  // namespace vq::adm::test
