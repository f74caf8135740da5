// The stages of SpEED-QA: every implementation against the scalar one. What they compute is seen by the
// golden figures, which are those of the reference to the last bit.
#include "feature/speed/speed.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/implementations.h"

namespace vq::speed::test {
namespace {

using Implementation = vq::test::Implementation<Stages>;

const std::vector<Implementation>& implementations() {
  static const std::vector<Implementation> kAll =
      vq::test::all_implementations(scalar::kStages, simd::stages_for);
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

TEST(SpeedFloatRow, EveryImplementationEqualsScalarAtEveryWidth) {
  for (int width = 1; width <= 70; ++width) {
    const auto bytes = vq::test::noise_plane({width, 1}, 8, 3),
               words = vq::test::noise_plane({width, 1}, 16, 4);
    vq::test::expect_same_of_all(implementations(), std::to_string(width), [&](const Implementation& one) {
      Rows out(width, 2);
      one.stages.float_row(bytes.view(), 0, width, 8, out.row(0));
      one.stages.float_row(words.view(), 0, width, 16, out.row(1));
      return std::pair(out.values(0), out.values(1));
    });
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
      const std::string where =
          "method " + std::to_string(static_cast<int>(method)) + ", " + std::to_string(outputs);
      vq::test::expect_same_of_all(implementations(), where, [&](const Implementation& one) {
        Rows out(outputs, 1);
        one.stages.scale_row(rows, columns, out.row(0));
        return out.values(0);
      });
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

TEST(SpeedFilterRow, EveryImplementationEqualsScalar) {
  for (const double scale : {0.5, 1.0, 3.71134}) {
    const Filter filter = anti_alias_filter(scale);
    const int taps = static_cast<int>(filter.taps.size());
    for (const int outputs : {1, 7, 16, 33, 61}) {
      const int width = 2 * outputs + taps;
      const Rows rows(width, taps, 11);
      const KeptFilter kept = every_second(filter, outputs);
      Rows sums(width, 1);
      vq::test::expect_same_of_all(
          implementations(), std::to_string(outputs), [&](const Implementation& one) {
            Rows out(outputs, 1);
            one.stages.filter_row(rows.pointers(), width, kept, sums.row(0), out.row(0));
            return out.values(0);
          });
    }
  }
}

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

TEST(SpeedCovariance, EveryImplementationEqualsScalar) {
  for (const auto& [width, height] : {std::pair{5, 5}, {10, 5}, {5, 40}, {60, 30}, {120, 65}, {205, 10}})
    expect_same_covariance(Rows(width, height, 7), std::to_string(width));
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

TEST(SpeedLogarithm, TakesZeroAndWhatHasNone) {
  EXPECT_EQ(log2_of(0), -HUGE_VAL);
  EXPECT_EQ(log2_of(HUGE_VAL), HUGE_VAL);
  EXPECT_TRUE(std::isnan(log2_of(-1)));
  EXPECT_TRUE(std::isnan(log2_of(std::nan(""))));
}

TEST(SpeedFilter, ThereAreSomeForCertainScalesOnly) {
  for (const double scale :
       {1.0, 0.5, 1.5, 2.0, 0.666667, 2.4, 3.71134, 1.3333, 1.0005, 3.0, 0.4444, 1.4746, 1.111111}) {
    EXPECT_TRUE(is_known_kernel_scale(scale)) << scale;
  }
  for (const double scale : {0.9, 1.002, 2.5, 4.0, 0.1, 1.2})
    EXPECT_FALSE(is_known_kernel_scale(scale)) << scale;
}

TEST(SpeedFeature, LooksAtWhatItNeeds) {
  const FeatureInfo &chroma = chroma_feature_info(), &temporal = temporal_feature_info();
  const OptionSet set(chroma.options), temporal_set(temporal.options);
  EXPECT_EQ(chroma.planes(set), 3);
  EXPECT_EQ(temporal.planes(temporal_set), 1);
  EXPECT_EQ(chroma.neighbours, nullptr);
  const NeighbourCount before = temporal.neighbours(temporal_set);
  EXPECT_EQ(before.distorted, 1);
  EXPECT_EQ(before.references, 1);
  EXPECT_TRUE(temporal.needs_every_frame(temporal_set));
  EXPECT_TRUE(chroma.needs_reference(set) && temporal.needs_reference(temporal_set));
  const VideoFormat hd = {.name = "video.y4m", .width = 1920, .height = 1080};
  EXPECT_GT(chroma.memory(set, {hd, hd}, {}).fixed, 9 * 960 * 4);
}

}  // namespace
}  // namespace vq::speed::test
