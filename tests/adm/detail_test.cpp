// Detail of a row: separated, weighed, and added up in cubes; and whole frames: every implementation against
// the scalar one, over sizes, depths and options.
#include <numbers>

#include "feature/adm/adm.h"
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

VideoFormats formats_of(const DecodedPlane& reference, const DecodedPlane& distorted) {
  const auto format_of = [](const std::string& name, const DecodedPlane& picture) {
    return VideoFormat{.name = name,
                       .width = picture.size().width,
                       .height = picture.size().height,
                       .bit_depth = picture.bit_depth()};
  };
  return {format_of("distorted", distorted), format_of("reference", reference)};
}

std::vector<int64_t> sums_of(const DecodedPlane& reference, const DecodedPlane& distorted,
                             const AdmPlan& plan, const Stages& stages, Workspace& workspace) {
  const FrameSums sums = sum_frame(samples(reference, plan.videos.reference_shift),
                                   samples(distorted, plan.videos.distorted_shift), plan, stages, workspace);
  std::vector<int64_t> all;
  for (const ScaleSums& scale : sums) {
    all.insert(all.end(), scale.reference.begin(), scale.reference.end());
    all.insert(all.end(), scale.restored.begin(), scale.restored.end());
    all.insert(all.end(), scale.added.begin(), scale.added.end());
  }
  return all;
}

// Bands so small that masking reaches their borders.
TEST(AdmDriver, EveryImplementationEqualsScalarOnTheSmallestPictures) {
  for (int width = 33; width <= 48; ++width) {
    for (int height = 33; height <= 48; ++height) {
      const DecodedPlane reference = noise_plane({width, height}, 8, static_cast<unsigned>(width * height));
      const DecodedPlane distorted = noise_plane({width, height}, 8, 5);
      const AdmPlan plan = make_plan({}, formats_of(reference, distorted));
      Workspace workspace(plan);
      vq::test::expect_same_of_all(implementations(), std::to_string(width) + "x" + std::to_string(height),
                                   [&](const Implementation& one) {
                                     return sums_of(reference, distorted, plan, one.stages, workspace);
                                   });
    }
  }
}

}  // namespace
}  // namespace vq::adm::test
