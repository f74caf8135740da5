#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "tests/adm/rows.h"

namespace vq::adm::test {
namespace {

using ::testing::ElementsAre;

// Detail of one row, and what it is separated into.
class Separation {
 public:
  explicit Separation(const ScalePlan& plan)
      : plan_(plan), detail_(plan.width, 6), parts_(plan.width, 2 * kPartRows) {
    for (int i = 0; i < 6; ++i) std::fill_n(detail_.row(i), plan.width, 0);
  }
  void set(int x, PerBand<int32_t> reference, PerBand<int32_t> distorted) {
    for (size_t i = 0; i < kBands; ++i) {
      detail_.row(static_cast<int>(i))[x] = reference[i];
      detail_.row(static_cast<int>(i + kBands))[x] = distorted[i];
    }
  }
  void fill(int64_t most, unsigned seed) {
    for (int i = 0; i < 6; ++i) detail_.fill(i, most, seed + static_cast<unsigned>(i));
  }
  void run(const AdmStages& stages) {
    const Decouple decouple = plan_.is_finest ? stages.fine_decouple : stages.coarse_decouple;
    decouple(detail_of(detail_, 0), detail_of(detail_, 3), plan_, part_of(parts_, 0),
             part_of(parts_, kPartRows));
  }
  PerBand<int32_t> restored(int x) { return {parts_.row(0)[x], parts_.row(1)[x], parts_.row(2)[x]}; }
  PerBand<int32_t> added(int x) { return {parts_.row(5)[x], parts_.row(6)[x], parts_.row(7)[x]}; }
  std::vector<std::vector<int32_t>> values() {
    std::vector<std::vector<int32_t>> all;
    for (const int i : {0, 1, 2, 5, 6, 7}) all.push_back(parts_.values(i, plan_.masking_columns));
    return all;
  }
  bool intact() { return detail_.intact() && parts_.intact(); }
  // Every implementation makes the same of it.
  void expect_same(const std::string& where) {
    vq::test::expect_same_of_all(implementations(), where, [&](const Implementation& one) {
      for (int i = 0; i < 2 * kPartRows; ++i) std::fill_n(parts_.row(i), plan_.width, -77);
      run(one.stages);
      return values();
    });
    EXPECT_TRUE(intact()) << where;
  }

 private:
  ScalePlan plan_;
  Rows<int32_t> detail_, parts_;
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
      all.fill(kMost[scale], seed);
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

}  // namespace
}  // namespace vq::adm::test
