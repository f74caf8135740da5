// Which samples of a plane, and how much of each, make one of a resized plane.
//
// Rounding: weights equal libvmaf's to the last bit, provided that sin() is the same.
#pragma once

#include <cstdint>
#include <vector>

#include "core/plane.h"
#include "feature/speed/options.h"

namespace vq::speed {

// Rows of floats are padded to whole vectors of every instruction set.
inline constexpr int kRowFloats = static_cast<int>(kRowGuardBytes / sizeof(float));
inline int padded(int floats) {
  return (floats + kRowFloats - 1) / kRowFloats * kRowFloats;
}

// The sample that stands for one outside: beyond an edge samples come again, but for that on the edge. Needs: not as far
// outside as the axis is long.
inline int reflected(int i, int size) {
  return i < 0 ? -i : i >= size ? 2 * size - i - 2 : i;
}

// Along one axis. Every output has as many taps, each a source index and its weight: tap t of output i is at
// [t * stride + i]. Between the last output and the stride, which is a multiple of kRowFloats, index and weight are 0.
struct AxisTaps {
  int taps = 0, outputs = 0, stride = 0;
  std::vector<int32_t> index;
  std::vector<float> weight;
};

// For the samples numbered `wanted` of an axis that is brought from `in` samples to `out`. Needs: sides of 1 or more.
AxisTaps axis_taps(Method method, int in, int out, const std::vector<int>& wanted);

// Whether values have to be divided by the sum of their weights.
inline bool is_normalised(Method method) {
  return method == Method::kLanczos4;
}

}  // namespace vq::speed
