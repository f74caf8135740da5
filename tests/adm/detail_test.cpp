// Detail of a row: separated, weighed, and added up in cubes.
#include <numbers>

#include "tests/adm/rows.h"

namespace vq::adm::test {
namespace {

// Rows of a scale, with zeros to begin with, which stages find beside them as well.
class BandRows : public Rows<int32_t> {
 public:
  BandRows(const ScalePlan& scale, int count) : Rows(scale.width, count), plan(scale), count_(count) {
    for (int i = 0; i < count; ++i) std::fill_n(row(i) - 1, plan.width + 2, 0);
  }
  // Of three bands from a row on.
  void set(int x, PerBand<int32_t> values, int first = 0) {
    for (int i = 0; i < 3; ++i) row(first + i)[x] = values[static_cast<size_t>(i)];
  }
  PerBand<int32_t> at(int x, int first = 0) { return {row(first)[x], row(first + 1)[x], row(first + 2)[x]}; }
  void fill_all(int first, int count, int64_t most, unsigned seed) {
    for (int i = first; i < first + count; ++i) fill(i, most, seed + static_cast<unsigned>(i));
  }
  std::vector<std::vector<int32_t>> all_values() {
    std::vector<std::vector<int32_t>> all;
    for (int i = 0; i < count_; ++i) all.push_back(values(i, plan.masking_columns));
    return all;
  }

  const ScalePlan plan;

 private:
  const int count_;
};

// Detail of both videos, and the parts it is separated into.
struct Separation {
  explicit Separation(const ScalePlan& plan) : detail(plan, 6), parts(plan, 2 * kPartRows) {}
  void set(int x, PerBand<int32_t> reference, PerBand<int32_t> distorted) {
    detail.set(x, reference);
    detail.set(x, distorted, 3);
  }
  void run(const Stages& stages) {
    const auto decouple = detail.plan.is_finest ? stages.fine_decouple : stages.coarse_decouple;
    decouple(detail_of(detail, 0), detail_of(detail, 3), detail.plan, part_of(parts, 0),
             part_of(parts, kPartRows));
  }
  PerBand<int32_t> restored(int x) { return parts.at(x); }
  PerBand<int32_t> added(int x) { return parts.at(x, kPartRows); }
  // Every implementation makes the same of it.
  void expect_same(const std::string& where) {
    vq::test::expect_same_of_all(implementations(), where, [&](const Implementation& one) {
      for (int i = 0; i < 2 * kPartRows; ++i) std::fill_n(parts.row(i), detail.plan.width, -77);
      run(one.stages);
      return parts.all_values();
    });
    EXPECT_TRUE(detail.intact() && parts.intact()) << where;
  }

  BandRows detail, parts;
};

TEST(AdmDecouple, SeparatesWhatIsLeftFromWhatIsAdded) {
  for (const int scale : {0, 1}) {
    for (const Implementation& implementation : implementations()) {
      SCOPED_TRACE(implementation.name);
      Separation all(scale_plan(scale, {200, 100}, {.gain_limit = 1}));
      // Half of it, in the same direction; what is stronger than in the reference is added.
      all.set(30, {1000, 0, 200}, {500, 0, 300});
      // In another direction.
      all.set(31, {1000, 0, -200}, {0, 500, -300});
      // The other way round.
      all.set(32, {-1000, 50, 7}, {1000, -50, -7});
      // Nothing to restore.
      all.set(33, {0, 0, 0}, {-9, 8, 7});
      all.run(implementation.stages);
      EXPECT_THAT(all.restored(30), ElementsAre(500, 0, 200));
      EXPECT_THAT(all.added(30), ElementsAre(0, 0, 100));
      EXPECT_THAT(all.restored(31), ElementsAre(0, 0, -200));
      EXPECT_THAT(all.added(31), ElementsAre(0, 500, -100));
      EXPECT_THAT(all.restored(32), ElementsAre(0, 0, 0));
      EXPECT_THAT(all.added(32), ElementsAre(1000, -50, -7));
      EXPECT_THAT(all.restored(33), ElementsAre(0, 0, 0));
      EXPECT_THAT(all.added(33), ElementsAre(-9, 8, 7));
    }
  }
}

TEST(AdmDecouple, LimitsTheGainOfAlignedDetailAndTruncatesIt) {
  for (const int scale : {0, 1}) {
    for (const Implementation& implementation : implementations()) {
      SCOPED_TRACE(implementation.name);
      Separation all(scale_plan(scale, {200, 100}, {.gain_limit = 1.25}));
      all.set(30, {1001, 0, -1001}, {5000, 0, -1100});
      all.run(implementation.stages);
      EXPECT_THAT(all.restored(30), ElementsAre(1251, 0, -1100));  // 1001 * 1.25 = 1251.25
      EXPECT_THAT(all.added(30), ElementsAre(3749, 0, 0));
    }
  }
}

// 2^30 / 22930 is 46826 and a rest of 21644, without which what is equal has a ratio of 32767 / 32768.
TEST(AdmDecouple, TruncatesReciprocals) {
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    Separation all(scale_plan(0, {200, 100}, {.gain_limit = 1}));
    all.set(31, {0, 0, 22930}, {5, 0, 22930});
    all.set(32, {22930, 0, 0}, {22930, 22930, 0});
    all.set(33, {22900, 0, 0}, {22900, 22900, 0});  // a rest of 6624 rounds up
    all.run(implementation.stages);
    EXPECT_EQ(all.restored(31)[2], 22929);
    EXPECT_EQ(all.restored(32)[0], 22929);
    EXPECT_EQ(all.restored(33)[0], 22900);
  }
}

TEST(AdmDecouple, OneDegreeIsTheLimit) {
  const double degree = std::numbers::pi / 180;
  const auto turned = [](double angle) {
    return PerBand<int32_t>{static_cast<int32_t>(std::lround(1e6 * std::cos(angle))),
                            static_cast<int32_t>(std::lround(1e6 * std::sin(angle))), 0};
  };
  EXPECT_TRUE(is_aligned(turned(0.3), turned(0.3 + 0.999 * degree)));
  EXPECT_TRUE(is_aligned(turned(0.3), turned(0.3 - 0.999 * degree)));
  EXPECT_FALSE(is_aligned(turned(0.3), turned(0.3 + 1.001 * degree)));
  EXPECT_FALSE(is_aligned(turned(0.3), turned(0.3 + std::numbers::pi)));
  EXPECT_TRUE(is_aligned({0, 0, 5}, {3, 4, 0}));
  EXPECT_TRUE(is_aligned({3, 4, 0}, {0, 0, 0}));
}

constexpr double kGainLimits[] = {1, 1.2, 2.5, 7, 99.99, 100};

TEST(AdmDecouple, EveryImplementationEqualsScalarOnNoise) {
  for (int scale = 0; scale < kScales; ++scale) {
    for (int width = 33; width < 400; width += 1 + scale) {
      const auto seed = static_cast<unsigned>(width * 10 + scale);
      const ScalePlan plan = scale_plan(scale, {width, 64}, {.gain_limit = kGainLimits[width % 6]});
      Separation all(plan);
      all.detail.fill_all(0, 6, kMost[scale], seed);
      all.expect_same("scale " + std::to_string(scale) + ", width " + std::to_string(width));
    }
  }
}

// Vectors so near to one degree apart that only exact arithmetic can tell, and ratios near 1.
TEST(AdmDecouple, EveryImplementationEqualsScalarNearTheLimits) {
  std::minstd_rand random(7);
  const auto uniform = [&] {
    return static_cast<double>(random()) / static_cast<double>(std::minstd_rand::max());
  };
  for (int round = 0; round < 300; ++round) {
    const int scale = round % kScales;
    const ScalePlan plan = scale_plan(scale, {1600, 64}, {.gain_limit = kGainLimits[round % 6]});
    Separation all(plan);
    for (int x = 0; x < plan.width; ++x) {
      const double size = std::exp2(uniform() * std::log2(static_cast<double>(kMost[scale]) * 0.7)),
                   angle = 7 * uniform();
      const double ratio = 1 + (uniform() - 0.5) / 1000,
                   turn = (random() % 2 == 0 ? 1 : -1) * std::numbers::pi / 180;
      const auto at = [](double length, double direction) {
        return static_cast<int32_t>(length * std::cos(direction));
      };
      const PerBand<int32_t> o = {at(size, angle), at(size, angle + 1.5 * std::numbers::pi), at(size, angle)};
      const PerBand<int32_t> t = {at(size * ratio, angle + turn),
                                  at(size * ratio, angle + turn + 1.5 * std::numbers::pi),
                                  at(size * ratio, angle)};
      all.set(x, o, t);
    }
    all.expect_same("round " + std::to_string(round));
  }
}

// Every size of the finest scale's coefficients, against some that are near it, and some that are small.
TEST(AdmDecouple, EveryImplementationEqualsScalarOnAllRatiosOfTheFinestScale) {
  const ScalePlan plan = scale_plan(0, {16000, 64}, {.gain_limit = 1});
  constexpr int kFirst = 1000;
  for (int32_t from = 1; from <= kMost[0]; from += 6000) {
    for (const int32_t difference : {-2, -1, 0, 1, 2}) {
      for (const int divisor : {1, 2, 3, 1000}) {
        Separation all(plan);
        for (int i = 0; i < 6000 && from + i <= kMost[0]; ++i) {
          const int32_t o = from + i, t = o / divisor + difference;
          all.set(kFirst + i, {o, 0, -o}, {t, i % 2, t});
        }
        all.expect_same("from " + std::to_string(from));
      }
    }
  }
}

// A part that is weighed.
struct WeighedRow : BandRows {
  explicit WeighedRow(const ScalePlan& scale) : BandRows(scale, kPartRows) {}
  void run(const Stages& stages) {
    (plan.is_finest ? stages.fine_weigh : stages.coarse_weigh)(plan, part_of(*this));
  }
  int side(int x) { return row(3)[x]; }
  int centre(int x) { return row(4)[x]; }
  // With the columns that continue `side`.
  std::vector<std::vector<int32_t>> found() {
    std::vector<std::vector<int32_t>> all = all_values();
    if (plan.masking_columns.first == 0) all.push_back({side(-1)});
    if (plan.masking_columns.end == plan.width) all.push_back({side(plan.width)});
    return all;
  }
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
    EXPECT_THAT(row.at(30), ElementsAre(36453000, 0, 0));
    EXPECT_THAT(row.at(33), ElementsAre(36453000, 36453000, 49417000));
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
                                 row.fill_all(0, 3, most, seed);
                                 row.run(one.stages);
                                 EXPECT_TRUE(row.intact()) << one.name << ", width " << plan.width;
                                 return row.found();
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

// A row, and what masks it.
struct MaskedRow : BandRows {
  explicit MaskedRow(const ScalePlan& scale) : BandRows(scale, 7) {}
  int32_t* side(int i) { return row(4 + i); }
  int32_t* centre() { return row(3); }
  PerBand<int64_t> run(const Stages& stages) {
    return stages.masked_cubes(detail_of(*this), {row(4), row(5), row(6), row(3)}, plan);
  }
};

TEST(AdmReferenceCubes, AddUpOverThePartThatCounts) {
  const ScalePlan plan = scale_plan(0, {200, 200});  // columns 9 to 90 of 100
  ASSERT_EQ(plan.columns.first, 9);
  ASSERT_EQ(plan.columns.end, 91);
  for (const Implementation& implementation : implementations()) {
    BandRows rows(plan, 3);
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
    BandRows rows(plan, 3);
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
      BandRows rows(plan, 3);
      rows.fill_all(0, 3, kMost[scale], static_cast<unsigned>(width * 3));
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
    row.row(0)[50] = -(1 << 25);
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
    row.row(1)[50] = 1500000000;
    EXPECT_LT(row.run(implementation.stages)[1], 0) << implementation.name;
  }
}

TEST(AdmMaskedCubes, EveryImplementationEqualsScalar) {
  for (int scale = 0; scale < kScales; ++scale) {
    for (int width = 33; width < 600; width += width < 300 ? 1 : 11) {
      const ScalePlan plan = scale_plan(scale, {width, 64});
      for (const int64_t mask : {int64_t{100}, int64_t{98301}, int64_t{2147483647}}) {
        MaskedRow row(plan);
        // Factors up to 16 bits make what is weighted at the finest scale, thresholds are small against that.
        const auto seed = static_cast<unsigned>(width * 4 + scale);
        row.fill_all(0, 3, scale == 0 ? 1502717550 : 2147483647, seed);
        row.fill_all(3, 4, mask, seed);
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
