// The stages of SpEED-QA that make rows of planes: examples to check by hand, and every implementation
// against the scalar one.
#include <gmock/gmock.h>

#include "tests/speed/stage_rows.h"
#include "tests/support/decoded_plane.h"

namespace vq::speed::test {
namespace {

using ::testing::ElementsAre;

// Samples of one row that end with their memory.
template <typename T>
SampleView row_of(const std::vector<T>& samples) {
  return vq::test::sample_view<T>({samples.data(), static_cast<int>(samples.size()), 1, 0});
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
    vq::test::expect_same_of_all(implementations(), std::to_string(width), [&](const Implementation& one) {
      Rows out(width, 2);
      one.stages.float_row(row_of(bytes), 0, width, 8, out.row(0));
      one.stages.float_row(row_of(words), 0, width, 16, out.row(1));
      return std::pair(out.values(0), out.values(1));
    });
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

}  // namespace
}  // namespace vq::speed::test
