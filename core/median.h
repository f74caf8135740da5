// The median, for reports of measurements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace vq {

// For an even number of values the upper of the middle two. Needs: at least one value.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace vq
