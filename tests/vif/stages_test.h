// The implementations of VIF's stages.
#pragma once

#include <ostream>
#include <vector>

#include "feature/vif/vif.h"
#include "tests/support/implementations.h"

namespace vq::vif {

// For messages of failed comparisons.
inline void PrintTo(const ScaleSums& sums, std::ostream* out) {
  *out << "num " << sums.num_log << ", den " << sums.den_log << ", flat " << sums.flat << ", variance "
       << sums.flat_variance;
}

}  // namespace vq::vif

namespace vq::vif::test {

using Implementation = vq::test::Implementation<VifStages>;

inline std::vector<Implementation> implementations() {
  return vq::test::all_implementations(VifStages{}, [](int64_t target) {
    return VifStages{.decimate = simd::decimate_for(target), .statistics = simd::statistics_for(target)};
  });
}

// The depth of the samples of a scale, and their maximum.
inline int depth_of(const Scale& scale) {
  return scale.index > 0 ? 16 : scale.bit_depth;
}
inline int top_of(const Scale& scale) {
  return (1 << depth_of(scale)) - 1;
}
inline std::string text_of(const Scale& scale, PlaneSize size) {
  return "scale " + std::to_string(scale.index) + ", " + std::to_string(scale.bit_depth) + " bits, " +
         std::to_string(size.width) + "x" + std::to_string(size.height);
}

}  // namespace vq::vif::test
