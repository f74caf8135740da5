// What tests of CAMBI's stages share: the implementations present, plans without limits, and where c-values
// go.
#pragma once

#include "feature/cambi/stages.h"
#include "tests/support/implementations.h"
#include "tests/support/stage_test.h"

namespace vq::cambi::test {

using namespace vq::test;

using Implementation = vq::test::Implementation<Stages>;
const std::vector<Implementation>& cpu_implementations();

// Gathers the tiles of c-values into a plane and counts how often each sample comes.
class CValuePlane final : public CValueSink {
 public:
  CValuePlane(int width, int height) : values_(width, height), times_(width, height) {
    for (int y = 0; y < height; ++y) std::fill_n(times_.view().row(y), width, uint8_t{0});
  }
  void tile(int x, int y, CValuesIn values) override {
    for (int i = 0; i < values.height; ++i) {
      std::copy_n(values.row(i), values.width, values_.view().row(y + i) + x);
      for (int k = 0; k < values.width; ++k) ++times_.view().row(y + i)[x + k];
    }
  }
  CValuesIn values() const { return values_.view(); }
  bool every_sample_came_once() const {
    const PlaneView<const uint8_t> times = times_.view();
    for (int y = 0; y < times.height; ++y) {
      if (std::count(times.row(y), times.row(y) + times.width, 1) != times.width) return false;
    }
    return true;
  }

 private:
  Canvas<float> values_;
  Canvas<uint8_t> times_;
};

// Fails unless run(stages, out) fills a canvas of that size for every implementation as for the scalar one,
// and nothing around it.
template <typename T, typename Run>
void expect_same_planes(Size size, const std::string& where, const Run& run) {
  Canvas<T> expected(size.width, size.height);
  run(scalar::kStages, expected.view());
  for (const Implementation& one : cpu_implementations()) {
    Canvas<T> actual(size.width, size.height, 7);
    run(one.stages, actual.view());
    ASSERT_TRUE(same_plane<T>(expected.view(), actual.view())) << one.name << ", " << where;
    ASSERT_TRUE(actual.intact()) << one.name << ", " << where;
  }
}

// The sum of the largest so many values.
ExactSum sorted_sum(CValuesIn values, int64_t count);

// A plan for pictures of the given size whose every number is in range, without the size limits of real
// videos.
CambiPlan make_test_plan(Size size, int window, int log_contrast);

// The same for luma of another size and depth.
CambiPlan preprocess_plan(Size input, Size encode, int depth, int encode_depth);

}  // namespace vq::cambi::test
