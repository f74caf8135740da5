#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "tests/stage_test.h"

namespace vq::cambi::test {
namespace {

constexpr uint64_t kOne = uint64_t{1} << kSumFractionBits;

// `passes` receives how often the values had to be streamed.
ExactSum pool_with(const CambiStages& stages, CValuesIn values, int64_t count, Pooling& pooling,
                   int& passes) {
  passes = 0;
  pooling.start(0, count);
  do {
    for (int y = 0; y < values.height; ++y) stages.pool({values.row(y), values.width, 1, 0}, pooling);
    ++passes;
  } while (!pooling.finish() && passes < 9);
  return pooling.sum();
}

ExactSum pooled(const std::vector<std::vector<float>>& rows, int64_t count) {
  Pooling pooling;
  int passes = 0;
  return pool_with(scalar_stages(), canvas_of<float>(rows).view(), count, pooling, passes);
}

TEST(CambiPooling, SumsTheLargestExactly) {
  EXPECT_TRUE(pooled({{1, 5, 0}, {0.5F, 0, 3}}, 1) == 5 * kOne);
  EXPECT_TRUE(pooled({{1, 5, 0}, {0.5F, 0, 3}}, 2) == 8 * kOne);
  EXPECT_TRUE(pooled({{1, 5, 0}, {0.5F, 0, 3}}, 4) == 9 * kOne + kOne / 2);
  EXPECT_TRUE(pooled({{1, 5, 0}, {0.5F, 0, 3}}, 6) == 9 * kOne + kOne / 2);
  EXPECT_TRUE(pooled({{0, 0}}, 1) == 0);
}

TEST(CambiPooling, TakesOnlyAsManyOfEqualsAsNeeded) {
  EXPECT_TRUE(pooled({{2, 2, 2, 1}}, 2) == 4 * kOne);
  EXPECT_TRUE(pooled({{2, 2, 3, 1}}, 2) == 5 * kOne);
}

TEST(CambiPooling, LosesNoBitOfASmallValueBesideALargeOne) {
  const float small = 0.5F + std::ldexp(1.0F, -24), large = 262143.98F;
  EXPECT_TRUE(pooled({{small, large}}, 2) ==
              static_cast<ExactSum>(std::ldexp(static_cast<double>(large), 24)) + kOne / 2 + 1);
}

TEST(CambiPooling, EveryImplementationEqualsASortedSum) {
  unsigned seed = 0;
  std::map<std::string, Pooling> poolings;
  for (const Size size : stage_sizes()) {
    std::minstd_rand random(++seed);
    Canvas<float> values(size.width, size.height);
    std::vector<float> sorted;
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        const unsigned r = static_cast<unsigned>(random());
        const float value = r % 3 == 0   ? 0.0F
                            : r % 3 == 1 ? 7.25F
                                         : 0.5F + static_cast<float>(r % 100000) / 7;
        values.view().row(y)[x] = value;
        sorted.push_back(value);
      }
    }
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const int64_t samples = static_cast<int64_t>(sorted.size());
    for (const int64_t count : {int64_t{1}, samples / 3 + 1, samples * 3 / 5 + 1, samples}) {
      if (count > samples) continue;
      ExactSum expected = 0;
      for (int64_t i = 0; i < count; ++i) {
        expected += static_cast<uint64_t>(
            std::ldexp(static_cast<double>(sorted[static_cast<size_t>(i)]), kSumFractionBits));
      }
      for (const Implementation& implementation : cpu_implementations()) {
        // What the pooling remembers of a picture before, of this one or of another, changes nothing.
        for (const bool remembers : {false, true, true}) {
          if (!remembers) poolings[implementation.name] = Pooling();
          int passes = 0;
          const ExactSum sum =
              pool_with(*implementation.stages, values.view(), count, poolings[implementation.name], passes);
          ASSERT_TRUE(sum == expected)
              << implementation.name << ", " << size.width << "x" << size.height << ", count " << count;
          ASSERT_LE(passes, 3) << implementation.name;
        }
      }
    }
  }
}

TEST(CambiPooling, TakesOnePassWhereAPictureResemblesTheOneBefore) {
  Canvas<float> values(200, 9);
  for (int y = 0; y < 9; ++y) {
    for (int x = 0; x < 200; ++x) values.view().row(y)[x] = 100 + static_cast<float>(x + y) / 8;
  }
  for (const Implementation& implementation : cpu_implementations()) {
    Pooling pooling;
    int passes = 0;
    pool_with(*implementation.stages, values.view(), 900, pooling, passes);
    EXPECT_EQ(passes, 2) << implementation.name << ": the K-th largest must be found first";
    const ExactSum sum = pool_with(*implementation.stages, values.view(), 900, pooling, passes);
    EXPECT_EQ(passes, 1) << implementation.name;
    Canvas<float> others(200, 9);
    for (int y = 0; y < 9; ++y) {
      for (int x = 0; x < 200; ++x) others.view().row(y)[x] = 4 * values.view().row(y)[x];
    }
    const ExactSum other_sum = pool_with(*implementation.stages, others.view(), 900, pooling, passes);
    EXPECT_EQ(passes, 3) << implementation.name << ": the bounds were wrong";
    EXPECT_TRUE(other_sum == 4 * sum) << implementation.name;
  }
}

}  // namespace
}  // namespace vq::cambi::test
