// What the tests of CIEDE2000's stages share.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "feature/ciede/ciede.h"
#include "tests/support/implementations.h"

namespace vq::ciede::test {

struct CiedeStages {
  Colours colours = nullptr;
  Differences differences = nullptr;
};
using Implementation = vq::test::Implementation<CiedeStages>;

inline const Implementation kScalar = {"scalar", {scalar::colours, scalar::differences}};

inline std::vector<Implementation> implementations() {
  return vq::test::all_implementations(kScalar.stages, [](int64_t target) {
    return CiedeStages{simd::colours_for(target), simd::differences_for(target)};
  });
}

struct Lab {
  float l, a, b;
  bool operator==(const Lab&) const = default;
};

// Colours as rows with guards.
class LabRows {
 public:
  explicit LabRows(int width) : rows_(width, 3) {}
  explicit LabRows(const std::vector<Lab>& colours) : LabRows(static_cast<int>(colours.size())) {
    for (int i = 0; i < rows_.width(); ++i) {
      const Lab& colour = colours[static_cast<size_t>(i)];
      rows_.row(0)[i] = colour.l;
      rows_.row(1)[i] = colour.a;
      rows_.row(2)[i] = colour.b;
    }
  }
  LabRow<float> out() { return {rows_.row(0), rows_.row(1), rows_.row(2)}; }
  LabRow<const float> in() const { return {rows_.row(0), rows_.row(1), rows_.row(2)}; }
  Lab at(int i) const { return {rows_.row(0)[i], rows_.row(1)[i], rows_.row(2)[i]}; }

 private:
  Plane<float> rows_;
};

}  // namespace vq::ciede::test
