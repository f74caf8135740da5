// What the tests of SSIM's stages share.
#pragma once

#include <vector>

#include "feature/ssim/plan.h"
#include "tests/support/implementations.h"
#include "tests/support/stage_test.h"

namespace vq::ssim::test {

using vq::test::Canvas;
using vq::test::same_plane;

using Implementation = vq::test::Implementation<Stages>;

inline std::vector<Implementation> implementations() {
  return vq::test::all_implementations(scalar::kStages, simd::stages_for);
}

// Values with all the bits of a float, some of them negative.
inline Canvas<float> noise(int width, int height, unsigned seed) {
  std::minstd_rand random(seed);
  return vq::test::drawn<float>(
      width, height, [&](int, int) { return static_cast<float>(random() >> 3) / 1048573.0F - 10; }, seed);
}

inline Canvas<float> flat(int width, int height, float value) {
  return vq::test::drawn<float>(width, height, [=](int, int) { return value; });
}

}  // namespace vq::ssim::test
