// What the tests of CIEDE2000's stages share.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "feature/ciede/stages.h"
#include "feature/simd_targets.h"

namespace vq::ciede::test {

struct Implementation {
  std::string name;
  Colours colours = nullptr;
  Differences differences = nullptr;
};

inline const Implementation kScalar = {"scalar", scalar::colours, scalar::differences};

// All that this machine can run.
inline std::vector<Implementation> implementations() {
  std::vector<Implementation> found = {kScalar};
  for (const SimdTarget& target : allowed_simd_targets(0)) {
    found.push_back({target.name, simd::colours_for(target.id), simd::differences_for(target.id)});
  }
  return found;
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
