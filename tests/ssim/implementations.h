// What the tests of SSIM's stages share.
#pragma once

#include <string>
#include <vector>

#include "feature/simd_targets.h"
#include "feature/ssim/stages.h"
#include "tests/support/stage_test.h"

namespace vq::ssim::test {

using vq::test::Canvas;
using vq::test::same_plane;

struct Implementation {
  std::string name;
  Stages stages;
};

// All that this machine can run.
inline std::vector<Implementation> implementations() {
  std::vector<Implementation> found = {{"scalar", scalar::kStages}};
  for (const SimdTarget& target : allowed_simd_targets(0)) found.push_back({target.name, simd::stages_for(target.id)});
  return found;
}

// Values with all the bits of a float, some of them negative.
inline Canvas<float> noise(int width, int height, unsigned seed) {
  Canvas<float> canvas(width, height, seed);
  std::minstd_rand random(seed);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) canvas.view().row(y)[x] = static_cast<float>(random() >> 3) / 1048573.0F - 10;
  }
  return canvas;
}

inline Canvas<float> flat(int width, int height, float value) {
  Canvas<float> canvas(width, height);
  for (int y = 0; y < height; ++y) std::fill_n(canvas.view().row(y), width, value);
  return canvas;
}

}  // namespace vq::ssim::test
