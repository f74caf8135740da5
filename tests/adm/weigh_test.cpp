#include <gmock/gmock.h>

#include "tests/adm/rows.h"

namespace vq::adm::test {
namespace {

using ::testing::ElementsAre;

class WeighedRow {
 public:
  explicit WeighedRow(const ScalePlan& plan) : plan_(plan), rows_(plan.width, kPartRows) {
    for (int i = 0; i < kPartRows; ++i) std::fill_n(rows_.row(i), plan.width, 0);
  }
  void set(int x, PerBand<int32_t> values) {
    for (int i = 0; i < 3; ++i) rows_.row(i)[x] = values[static_cast<size_t>(i)];
  }
  void fill(int64_t most, unsigned seed) {
    for (int i = 0; i < 3; ++i) rows_.fill(i, most, seed + static_cast<unsigned>(i));
  }
  void run(const AdmStages& stages) {
    (plan_.is_finest ? stages.fine_weigh : stages.coarse_weigh)(plan_, part_of(rows_));
  }
  PerBand<int32_t> signal(int x) { return {rows_.row(0)[x], rows_.row(1)[x], rows_.row(2)[x]}; }
  int side(int x) { return rows_.row(3)[x]; }
  int centre(int x) { return rows_.row(4)[x]; }
  // With the columns that continue `side`.
  std::vector<std::vector<int32_t>> values() {
    std::vector<std::vector<int32_t>> all;
    for (int i = 0; i < kPartRows; ++i) all.push_back(rows_.values(i, plan_.masking_columns));
    if (plan_.masking_columns.first == 0) all.push_back({side(-1)});
    if (plan_.masking_columns.end == plan_.width) all.push_back({side(plan_.width)});
    return all;
  }
  bool intact() { return rows_.intact(); }

 private:
  ScalePlan plan_;
  Rows<int32_t> rows_;
};

// 36453 * 1000 / 2^15 = 1112.5; of that 1186.6 / 2^5 are a 30th, and 2372.2 / 2^5 a 15th.
TEST(AdmWeigh, OfTheFinestScaleMasksBySharesOfWeightedDetail) {
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    WeighedRow row(scale_plan(0, {200, 100}));
    row.set(30, {1000, 0, 0});
    row.set(31, {0, -1000, 0});
    row.set(32, {0, 0, 1000});  // 49417 * 1000 / 2^17 = 377.02
    row.set(33, {1000, 1000, 1000});
    row.run(implementation.stages);
    EXPECT_THAT(row.signal(30), ElementsAre(36453000, 0, 0));
    EXPECT_THAT(row.signal(33), ElementsAre(36453000, 36453000, 49417000));
    EXPECT_EQ(row.side(30), 1186);
    EXPECT_EQ(row.centre(30), 2372);
    EXPECT_EQ(row.side(31), 1186);
    EXPECT_EQ(row.side(32), 402);
    EXPECT_EQ(row.centre(32), 804);
    EXPECT_EQ(row.side(33), 2 * 1186 + 402);
    EXPECT_EQ(row.centre(29), 0);
  }
}

// 36453 * 22930 / 2^15 = 25509, a 15th of which does not fit.
TEST(AdmWeigh, OfTheFinestScaleWrapsAsTheReferenceDoes) {
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    WeighedRow row(scale_plan(0, {200, 100}));
    row.set(30, {22930, 0, 0});
    row.run(implementation.stages);
    EXPECT_EQ(row.side(30), 27209);
    EXPECT_EQ(row.centre(30), 54418 - 65536);
  }
}

// The rounding constant that turned negative: nothing masks by -1 a band.
TEST(AdmWeigh, OfACoarseScaleTakesOneOffForEachBand) {
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    WeighedRow row(scale_plan(2, {400, 100}));
    row.run(implementation.stages);
    EXPECT_EQ(row.side(30), -3);
    EXPECT_EQ(row.centre(30), -3);
  }
}

void compare_with_scalar(const ScalePlan& plan, int64_t most, unsigned seed) {
  vq::test::expect_same_of_all(implementations(), "width " + std::to_string(plan.width),
                               [&](const Implementation& one) {
                                 WeighedRow row(plan);
                                 row.fill(most, seed);
                                 row.run(one.stages);
                                 EXPECT_TRUE(row.intact()) << one.name << ", width " << plan.width;
                                 return row.values();
                               });
}

// Barten's factors with their default scale are of all 32 bits.
TEST(AdmWeigh, EveryImplementationEqualsScalarWhateverTheFactors) {
  const AdmOptions models[] = {{},
                               {.csf_mode = CsfMode::kBlend},
                               {.csf_mode = CsfMode::kBarten},
                               {.csf_mode = CsfMode::kBarten, .csf_scale = 0.02, .csf_diagonal_scale = 3}};
  for (int scale = 0; scale < kScales; ++scale) {
    for (int width = 33; width < 300; ++width) {
      const ScalePlan plan = scale_plan(scale, {width, 64}, models[width % 4]);
      compare_with_scalar(plan, kMost[scale], static_cast<unsigned>(width * 10 + scale));
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

// Factors of 2^31 and more at their borders.
TEST(AdmWeigh, EveryImplementationEqualsScalarWithTheLargestFactors) {
  ScalePlan plan = scale_plan(1, {300, 64});
  for (const uint32_t factor : {0U, 1U, 0x7FFFFFFFU, 0x80000000U, 0x80000001U, 0xFFFFFFFFU}) {
    plan.factors = {factor, factor / 2, ~factor};
    compare_with_scalar(plan, kMost[1], factor);
  }
}

}  // namespace
}  // namespace vq::adm::test
