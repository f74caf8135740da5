// The stages of SpEED-QA that find figures of blocks: examples to check by hand, and every implementation
// against the scalar one.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "feature/speed/speed.h"
#include "tests/speed/stage_rows.h"

namespace vq::speed::test {
namespace {

using ::testing::ElementsAre;

std::vector<float> values_of(const Matrix& matrix) {
  std::vector<float> values;
  for (const auto& row : matrix.at) values.insert(values.end(), row, row + kVariables);
  return values;
}

void expect_same_covariance(const Rows& plane, const std::string& where) {
  vq::test::expect_same_of_all(implementations(), where, [&](const Implementation& one) {
    Matrix matrix;
    one.stages.covariance(plane.view(), matrix);
    return values_of(matrix);
  });
}

// Views of a ramp along rows are the same ramp, one higher with each column: all covariances are its
// variance.
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
    expect_same_covariance(Rows(width, height, 7), std::to_string(width));
  }
}

// Entries that are far smaller than the variances, and others near to where rounding goes the other way, have
// to be added up in order; in a plane of which one sample differs most are.
TEST(SpeedCovariance, EveryImplementationEqualsScalarOfAnyContent) {
  std::minstd_rand random(5);
  std::uniform_real_distribution<float> noise(-1, 1);
  const std::function<float(int x, int y)> contents[] = {
      [](int x, int y) { return x == 17 && y == 13 ? 40.0F : 0.0F; }, [](int, int) { return 0.1F; },
      // But for rounding, views one column apart have no covariance.
      [](int x, int) { return x / 2 % 2 == 0 ? 0.1F : 0.7F; },
      [&](int x, int y) { return static_cast<float>(std::sin(0.3 * x + 0.2 * y)) + 0.01F * noise(random); },
      [&](int, int) { return 90 + 1e-3F * noise(random); },
      [&](int, int y) { return y < 20 ? noise(random) : 1e-4F * noise(random); },
      [&](int, int) { return noise(random); }};
  for (const auto& [width, height] :
       {std::pair{25, 25}, {26, 41}, {70, 30}, {75, 25}, {120, 65}, {140, 35}}) {
    for (const auto& content : contents) {
      Rows plane(width, height);
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) plane.row(y)[x] = content(x, y);
      }
      expect_same_covariance(plane,
                             std::to_string(width) + ", content " + std::to_string(&content - contents));
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
      EXPECT_NEAR(values[k], 1 + std::cos(static_cast<double>(k + 1) * std::numbers::pi / (kVariables + 1)),
                  2e-6)
          << one.name;
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
    vq::test::expect_same_of_all(implementations(), std::to_string(seed), [&](const Implementation& one) {
      std::vector<float> values(kVariables);
      one.stages.eigenvalues(matrix, values.data());
      return values;
    });
  }
}

// Unknowns or right sides of some blocks.
struct BlockRows {
  explicit BlockRows(int count, unsigned seed = 0) : memory(static_cast<size_t>(kVariables * padded(count))) {
    blocks = {memory.data(), count, padded(count)};
    std::minstd_rand random(seed);
    std::uniform_real_distribution<float> values(-20, 20);
    for (int i = 0; seed != 0 && i < kVariables; ++i)
      std::generate_n(blocks.row(i), count, [&] { return values(random); });
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
    const BlockRows y(count, 21);
    vq::test::expect_same_of_all(implementations(), std::to_string(count), [&](const Implementation& one) {
      const BlockRows x(count);
      EXPECT_TRUE(one.stages.solve(matrix, y.blocks, x.blocks)) << one.name;
      return x.values();
    });
  }
}

TEST(SpeedSolve, RefusesAMatrixWithoutFullRank) {
  Matrix matrix;
  for (int i = 0; i < kVariables; ++i) matrix.at[i][i] = 1;
  matrix.at[7][7] = 1e-7F;
  const BlockRows y(4, 5), x(4);
  for (const Implementation& one : implementations())
    EXPECT_FALSE(one.stages.solve(matrix, y.blocks, x.blocks)) << one.name;
}

TEST(SpeedEntropies, AreThoseOfNoiseWhereThereIsNoVariance) {
  const BlockRows y(3), x(3, 2);
  const float eigenvalues[kVariables] = {5};
  for (const Implementation& one : implementations()) {
    Rows out(3, 2);
    one.stages.entropies(eigenvalues, 0.5F, y.blocks, x.blocks, {out.row(0), out.row(1)});
    EXPECT_THAT(out.values(0), ElementsAre(0, 0, 0)) << one.name;
    for (const float entropy : out.values(1))
      EXPECT_NEAR(entropy, kVariables * (kGaussianEntropy - 1), 1e-4) << one.name;
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
      ASSERT_EQ(out.values(0), expected.values(0)) << one.name;
      for (int i = 0; i < count; ++i) {
        const float found = out.row(1)[i], wanted = expected.row(1)[i];
        ASSERT_TRUE(found == wanted || (std::isnan(found) && std::isnan(wanted)))
            << one.name << ", block " << i;
      }
    }
  }
}

TEST(SpeedLogarithm, IsThatOfTheBaseTwo) {
  for (const double exact : {-1000.0, -3.0, -1.0, 0.0, 1.0, 2.0, 10.0, 1000.0})
    EXPECT_EQ(log2_of(std::exp2(exact)), exact);
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
}  // namespace vq::speed::test
