// The stages of SpEED-QA: examples to check by hand, and every implementation against the scalar one.
#include "feature/speed/stages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "feature/simd_targets.h"
#include "feature/speed/logarithm.h"
#include "feature/speed/qr_iteration.h"

namespace vq::speed {
namespace {

using ::testing::ElementsAre;

struct Implementation {
  std::string name;
  SpeedStages stages;
};

// All that this machine can run, the scalar one first.
const std::vector<Implementation>& implementations() {
  static const std::vector<Implementation> kAll = [] {
    std::vector<Implementation> all = {{"scalar", scalar_stages()}};
    for (const SimdTarget& target : allowed_simd_targets(0)) all.push_back({target.name, simd_stages_for(target.id)});
    return all;
  }();
  return kAll;
}

// Rows of floats with the padding that stages may use, all of one size.
class Rows {
 public:
  Rows(int width, int count) : plane_(width, count), width_(width) {
    for (int i = 0; i < count; ++i) pointers_.push_back(plane_.row(i));
  }
  Rows(int width, int count, unsigned seed, float range = 128) : Rows(width, count) {
    std::minstd_rand random(seed);
    std::uniform_real_distribution<float> values(-range, range);
    for (int i = 0; i < count; ++i) std::generate_n(plane_.row(i), width, [&] { return values(random); });
  }
  float* row(int i) { return plane_.row(i); }
  const float* const* pointers() const { return pointers_.data(); }
  PlaneView<const float> view() const { return plane_.view(); }
  std::vector<float> values(int i) const { return {plane_.row(i), plane_.row(i) + width_}; }

 private:
  Plane<float> plane_;
  int width_;
  std::vector<const float*> pointers_;
};

// Equality of bits, but for the sign of zeros.
void expect_equal(const std::vector<float>& actual, const std::vector<float>& expected, const std::string& where) {
  ASSERT_EQ(actual.size(), expected.size()) << where;
  for (size_t i = 0; i < actual.size(); ++i) ASSERT_EQ(actual[i], expected[i]) << where << ", at " << i;
}

// Samples of one row that end with their memory.
template <typename T>
SampleView row_of(const std::vector<T>& samples) {
  SampleView view;
  const PlaneView<const T> plane = {samples.data(), static_cast<int>(samples.size()), 1, 0};
  if constexpr (sizeof(T) == 1) {
    view.u8 = plane;
  } else {
    view.u16 = plane;
  }
  return view;
}

TEST(SpeedFloatRow, HasTheMiddleAtZeroWhateverTheDepth) {
  const std::vector<uint8_t> bytes = {0, 128, 255};
  const std::vector<uint16_t> words = {0, 2048, 4095, 2049};
  for (const Implementation& one : implementations()) {
    Rows out(4, 2);
    one.stages.float_row(row_of(bytes), 0, 3, 8, out.row(0));
    one.stages.float_row(row_of(words), 0, 4, 12, out.row(1));
    EXPECT_THAT(out.values(0), ElementsAre(-128, 0, 127, ::testing::_)) << one.name;
    EXPECT_THAT(out.values(1), ElementsAre(-128, 0, 127.9375F, 0.0625F)) << one.name;
  }
}

TEST(SpeedFloatRow, EveryImplementationEqualsScalarAtEveryWidth) {
  std::minstd_rand random(3);
  for (int width = 1; width <= 70; ++width) {
    std::vector<uint8_t> bytes(static_cast<size_t>(width));
    std::vector<uint16_t> words(bytes.size());
    for (uint8_t& sample : bytes) sample = static_cast<uint8_t>(random() >> 8);
    for (uint16_t& sample : words) sample = static_cast<uint16_t>(random() >> 8);
    Rows expected(width, 2);
    scalar::float_row(row_of(bytes), 0, width, 8, expected.row(0));
    scalar::float_row(row_of(words), 0, width, 16, expected.row(1));
    for (const Implementation& one : implementations()) {
      Rows out(width, 2);
      one.stages.float_row(row_of(bytes), 0, width, 8, out.row(0));
      one.stages.float_row(row_of(words), 0, width, 16, out.row(1));
      for (const int i : {0, 1}) expect_equal(out.values(i), expected.values(i), one.name);
    }
  }
}

TEST(SpeedScaleRow, IsTheSumOfWeightedSamples) {
  Rows source(2, 2), out(1, 1);
  source.row(0)[0] = 1;
  source.row(0)[1] = 2;
  source.row(1)[0] = 3;
  source.row(1)[1] = 4;
  AxisTaps columns{.taps = 2, .outputs = 1, .stride = padded(1), .index = {}, .weight = {}};
  columns.index.resize(static_cast<size_t>(2 * columns.stride));
  columns.weight.resize(columns.index.size());
  columns.index[static_cast<size_t>(columns.stride)] = 1;
  columns.weight[0] = 0.25F;
  columns.weight[static_cast<size_t>(columns.stride)] = 0.5F;
  const float rows[] = {2, 4};
  for (const Implementation& one : implementations()) {
    one.stages.scale_row({source.pointers(), rows, 2, false}, columns, out.row(0));
    EXPECT_EQ(out.row(0)[0], 0.5F + 2 + 3 + 8) << one.name;
    one.stages.scale_row({source.pointers(), rows, 2, true}, columns, out.row(0));
    EXPECT_EQ(out.row(0)[0], 13.5F / 4.5F) << one.name;
  }
}

TEST(SpeedScaleRow, EveryImplementationEqualsScalar) {
  for (const Method method : {Method::kNearest, Method::kBilinear, Method::kBicubic, Method::kLanczos4}) {
    for (const int outputs : {1, 15, 16, 17, 100}) {
      std::vector<int> wanted;
      for (int i = 0; i < outputs; ++i) wanted.push_back(i);
      const AxisTaps columns = axis_taps(method, 77, outputs, wanted);
      const Rows source(77, 9, 5);
      const float weights[] = {-0.1F, 0.2F, 0.3F, 0.5F, 0.3F, -0.2F, 0.1F, 0.4F, -0.3F};
      const RowTaps rows = {source.pointers(), weights, columns.taps, is_normalised(method)};
      Rows expected(outputs, 1);
      scalar::scale_row(rows, columns, expected.row(0));
      for (const Implementation& one : implementations()) {
        Rows out(outputs, 1);
        one.stages.scale_row(rows, columns, out.row(0));
        expect_equal(out.values(0), expected.values(0), one.name + ", method " + std::to_string(static_cast<int>(method)));
      }
    }
  }
}

KeptFilter every_second(const Filter& filter, int outputs) {
  KeptFilter kept{.filter = filter, .outputs = outputs, .stride = padded(outputs)};
  const int taps = static_cast<int>(filter.taps.size());
  kept.columns.resize(static_cast<size_t>(taps * kept.stride));
  for (int t = 0; t < taps; ++t) {
    for (int i = 0; i < outputs; ++i) kept.columns[static_cast<size_t>(t * kept.stride + i)] = 2 * i + t;
  }
  return kept;
}

TEST(SpeedFilterRow, FiltersRowsAndThenColumns) {
  Rows rows(5, 3), sums(5, 1), out(2, 1);
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 5; ++x) rows.row(y)[x] = static_cast<float>(10 * y + x);
  }
  const KeptFilter filter = every_second({.taps = {0.25F, 0.5F, 0.25F}}, 2);
  for (const Implementation& one : implementations()) {
    one.stages.filter_row(rows.pointers(), 5, filter, sums.row(0), out.row(0));
    EXPECT_THAT(out.values(0), ElementsAre(11, 13)) << one.name;
  }
}

TEST(SpeedFilterRow, EveryImplementationEqualsScalar) {
  for (const double scale : {0.5, 1.0, 3.71134}) {
    const Filter filter = anti_alias_filter(scale);
    const int taps = static_cast<int>(filter.taps.size());
    for (const int outputs : {1, 7, 16, 33, 61}) {
      const int width = 2 * outputs + taps;
      const Rows rows(width, taps, 11);
      const KeptFilter kept = every_second(filter, outputs);
      Rows expected(outputs, 1), sums(width, 1);
      scalar::filter_row(rows.pointers(), width, kept, sums.row(0), expected.row(0));
      for (const Implementation& one : implementations()) {
        Rows out(outputs, 1);
        one.stages.filter_row(rows.pointers(), width, kept, sums.row(0), out.row(0));
        expect_equal(out.values(0), expected.values(0), one.name);
      }
    }
  }
}

std::vector<float> values_of(const Matrix& matrix) {
  std::vector<float> values;
  for (const auto& row : matrix.at) values.insert(values.end(), row, row + kVariables);
  return values;
}

// Views of a ramp along rows are the same ramp, one higher with each column: all covariances are its variance.
TEST(SpeedCovariance, OfARampIsItsVariance) {
  Rows plane(8, 6);
  for (int y = 0; y < 6; ++y) {
    for (int x = 0; x < 8; ++x) plane.row(y)[x] = static_cast<float>(x);
  }
  for (const Implementation& one : implementations()) {
    Matrix matrix;
    one.stages.covariance(plane.view(), matrix);
    for (const float value : values_of(matrix)) EXPECT_EQ(value, 1.25F) << one.name;  // of 0, 1, 2, 3
  }
}

TEST(SpeedCovariance, EveryImplementationEqualsScalar) {
  for (const auto& [width, height] : {std::pair{5, 5}, {10, 5}, {5, 40}, {60, 30}, {120, 65}, {205, 10}}) {
    const Rows plane(width, height, 7);
    Matrix expected;
    scalar::covariance(plane.view(), expected);
    for (const Implementation& one : implementations()) {
      Matrix matrix;
      one.stages.covariance(plane.view(), matrix);
      expect_equal(values_of(matrix), values_of(expected), one.name + ", " + std::to_string(width));
    }
  }
}

Matrix covariance_of(int width, int height, unsigned seed) {
  Matrix matrix;
  scalar::covariance(Rows(width, height, seed, 3).view(), matrix);
  return matrix;
}

TEST(SpeedEigenvalues, OfADiagonalMatrixAreItsDiagonal) {
  Matrix matrix;
  std::vector<float> expected;
  for (int i = 0; i < kVariables; ++i) {
    expected.push_back(static_cast<float>(1 + i * 7 % 25));
    matrix.at[i][i] = expected.back();
  }
  for (const Implementation& one : implementations()) {
    std::vector<float> values(kVariables);
    one.stages.eigenvalues(matrix, values.data());
    EXPECT_EQ(values, expected) << one.name;
  }
}

// 1 on the diagonal and 0.5 beside it: 1 + cos(k pi / 26).
TEST(SpeedEigenvalues, OfATridiagonalMatrixAreThoseThatAreKnown) {
  Matrix matrix;
  for (int i = 0; i < kVariables; ++i) {
    matrix.at[i][i] = 1;
    if (i > 0) matrix.at[i][i - 1] = matrix.at[i - 1][i] = 0.5F;
  }
  for (const Implementation& one : implementations()) {
    std::vector<float> values(kVariables);
    one.stages.eigenvalues(matrix, values.data());
    std::sort(values.begin(), values.end(), std::greater<>());
    for (size_t k = 0; k < values.size(); ++k) {
      EXPECT_NEAR(values[k], 1 + std::cos(static_cast<double>(k + 1) * M_PI / (kVariables + 1)), 2e-6) << one.name;
    }
  }
}

TEST(SpeedEigenvalues, EveryImplementationEqualsScalarAndTheTraceIsKept) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const Matrix matrix = covariance_of(10 + static_cast<int>(seed), 20, seed);
    std::vector<float> expected(kVariables);
    scalar::eigenvalues(matrix, expected.data());
    double trace = 0, sum = 0;
    for (int i = 0; i < kVariables; ++i) trace += static_cast<double>(matrix.at[i][i]);
    for (const float value : expected) sum += static_cast<double>(value);
    EXPECT_NEAR(sum, trace, 1e-5 * trace);
    for (const Implementation& one : implementations()) {
      std::vector<float> values(kVariables);
      one.stages.eigenvalues(matrix, values.data());
      expect_equal(values, expected, one.name);
    }
  }
}

// Unknowns or right sides of some blocks.
struct BlockRows {
  explicit BlockRows(int count, unsigned seed = 0) : memory(static_cast<size_t>(kVariables * padded(count))) {
    blocks = {memory.data(), count, padded(count)};
    std::minstd_rand random(seed);
    std::uniform_real_distribution<float> values(-20, 20);
    for (int i = 0; seed != 0 && i < kVariables; ++i) std::generate_n(blocks.row(i), count, [&] { return values(random); });
  }
  std::vector<float> values() const {
    std::vector<float> all;
    for (int i = 0; i < kVariables; ++i) all.insert(all.end(), blocks.row(i), blocks.row(i) + blocks.count);
    return all;
  }
  std::vector<float> memory;
  Blocks blocks;
};

TEST(SpeedSolve, FindsWhatTheMatrixMultipliesToTheRightSide) {
  const Matrix matrix = covariance_of(60, 30, 4);
  const BlockRows y(20, 9);
  for (const Implementation& one : implementations()) {
    const BlockRows x(20);
    ASSERT_TRUE(one.stages.solve(matrix, y.blocks, x.blocks)) << one.name;
    for (int i = 0; i < kVariables; ++i) {
      for (int block = 0; block < 20; ++block) {
        double sum = 0;
        for (int k = 0; k < kVariables; ++k) {
          sum += static_cast<double>(matrix.at[i][k]) * static_cast<double>(x.blocks.row(k)[block]);
        }
        EXPECT_NEAR(sum, y.blocks.row(i)[block], 1e-3) << one.name;
      }
    }
  }
}

TEST(SpeedSolve, EveryImplementationEqualsScalarForAnyNumberOfBlocks) {
  for (const int count : {1, 3, 8, 15, 16, 17, 72, 312}) {
    const Matrix matrix = covariance_of(30, 30, static_cast<unsigned>(count));
    const BlockRows y(count, 21), expected(count);
    ASSERT_TRUE(scalar::solve(matrix, y.blocks, expected.blocks));
    for (const Implementation& one : implementations()) {
      const BlockRows x(count);
      ASSERT_TRUE(one.stages.solve(matrix, y.blocks, x.blocks)) << one.name;
      expect_equal(x.values(), expected.values(), one.name);
    }
  }
}

TEST(SpeedSolve, RefusesAMatrixWithoutFullRank) {
  Matrix matrix;
  for (int i = 0; i < kVariables; ++i) matrix.at[i][i] = 1;
  matrix.at[7][7] = 1e-7F;
  const BlockRows y(4, 5), x(4);
  for (const Implementation& one : implementations()) EXPECT_FALSE(one.stages.solve(matrix, y.blocks, x.blocks)) << one.name;
}

TEST(SpeedEntropies, AreThoseOfNoiseWhereThereIsNoVariance) {
  const BlockRows y(3), x(3, 2);
  const float eigenvalues[kVariables] = {5};
  for (const Implementation& one : implementations()) {
    Rows out(3, 2);
    one.stages.entropies(eigenvalues, 0.5F, y.blocks, x.blocks, {out.row(0), out.row(1)});
    EXPECT_THAT(out.values(0), ElementsAre(0, 0, 0)) << one.name;
    for (const float entropy : out.values(1)) EXPECT_NEAR(entropy, kVariables * (kGaussianEntropy - 1), 1e-4) << one.name;
  }
}

// A variance of 3, and eigenvalues of 1, 5 and below 0.
TEST(SpeedEntropies, GrowWithVarianceAndEigenvalues) {
  const BlockRows y(1), x(1);
  for (int i = 0; i < kVariables; ++i) {
    y.blocks.row(i)[0] = 1.5F;
    x.blocks.row(i)[0] = 2;
  }
  const float eigenvalues[kVariables] = {1, 5, -4};
  for (const Implementation& one : implementations()) {
    Rows out(1, 2);
    one.stages.entropies(eigenvalues, 1, y.blocks, x.blocks, {out.row(0), out.row(1)});
    EXPECT_FLOAT_EQ(out.row(0)[0], 3) << one.name;
    EXPECT_NEAR(out.row(1)[0], 2 + 4 + kVariables * kGaussianEntropy, 1e-4) << one.name;
  }
}

TEST(SpeedEntropies, EveryImplementationEqualsScalar) {
  for (const int count : {1, 5, 8, 17, 312}) {
    const BlockRows y(count, 3), x(count, 4);
    float eigenvalues[kVariables];
    for (int i = 0; i < kVariables; ++i) eigenvalues[i] = std::exp(0.5F * static_cast<float>(i - 12)) - 0.01F;
    Rows expected(count, 2);
    scalar::entropies(eigenvalues, 0.29F, y.blocks, x.blocks, {expected.row(0), expected.row(1)});
    for (const Implementation& one : implementations()) {
      Rows out(count, 2);
      one.stages.entropies(eigenvalues, 0.29F, y.blocks, x.blocks, {out.row(0), out.row(1)});
      expect_equal(out.values(0), expected.values(0), one.name);
      for (int i = 0; i < count; ++i) {
        const float found = out.row(1)[i], wanted = expected.row(1)[i];
        ASSERT_TRUE(found == wanted || (std::isnan(found) && std::isnan(wanted))) << one.name << ", block " << i;
      }
    }
  }
}

TEST(SpeedLogarithm, IsThatOfTheBaseTwo) {
  for (const double exact : {-1000.0, -3.0, -1.0, 0.0, 1.0, 2.0, 10.0, 1000.0}) EXPECT_EQ(log2_of(std::exp2(exact)), exact);
  std::minstd_rand random(1);
  std::uniform_real_distribution<double> exponents(-20, 20);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::exp2(exponents(random)), expected = std::log2(x);
    ASSERT_NEAR(log2_of(x), expected, 4e-16 * std::abs(expected) + 1e-300) << x;
  }
}

TEST(SpeedLogarithm, TakesZeroAndWhatHasNone) {
  EXPECT_EQ(log2_of(0), -HUGE_VAL);
  EXPECT_EQ(log2_of(HUGE_VAL), HUGE_VAL);
  EXPECT_TRUE(std::isnan(log2_of(-1)));
  EXPECT_TRUE(std::isnan(log2_of(std::nan(""))));
}

}  // namespace
}  // namespace vq::speed
