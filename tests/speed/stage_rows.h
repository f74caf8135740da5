// What tests of SpEED-QA's stages share: the implementations, rows of floats, and their comparison.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "feature/speed/speed.h"
#include "tests/support/implementations.h"

namespace vq::speed::test {

using Implementation = vq::test::Implementation<SpeedStages>;

inline const std::vector<Implementation>& implementations() {
  static const std::vector<Implementation> kAll =
      vq::test::all_implementations(scalar_stages(), simd_stages_for);
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

}  // namespace vq::speed::test
