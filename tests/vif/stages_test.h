// The implementations of VIF's stages.
#pragma once

#include <ostream>

#include <string>
#include <vector>

#include "feature/simd_targets.h"
#include "feature/vif/driver.h"

namespace vq::vif {

// For messages of failed comparisons.
inline void PrintTo(const ScaleSums& sums, std::ostream* out) {
  *out << "num " << sums.num_log << ", den " << sums.den_log << ", flat " << sums.flat << ", variance "
       << sums.flat_variance;
}

}  // namespace vq::vif

namespace vq::vif::test {

struct Implementation {
  std::string name;
  VifStages stages;
};

// All that this machine can run, the scalar one first.
inline std::vector<Implementation> implementations() {
  std::vector<Implementation> found = {{"scalar", {}}};
  for (const SimdTarget& target : allowed_simd_targets(0)) {
    found.push_back({target.name,
                     {.decimate = simd::decimate_for(target.id), .statistics = simd::statistics_for(target.id)}});
  }
  return found;
}

}  // namespace vq::vif::test
