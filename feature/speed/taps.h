// The taps of SpEED-QA's filters: its two Gaussians, and those that bring a plane to another size.
//
// Rounding: taps equal libvmaf's to the last bit, provided that exp() and sin() are the same; each operation
// is rounded in the order in which it is written, in float or in double as the types say.
#pragma once

#include <cstdint>
#include <vector>

#include "core/plane.h"

namespace vq::speed {

// Whether the reference knows filters of that width: 1, 2, 3/2, ..., each within 1e-3.
bool is_known_kernel_scale(double scale);

// An odd number of weights whose sum is 1.
struct Filter {
  std::vector<float> taps;
  int reach() const { return static_cast<int>(taps.size()) / 2; }
};

// Weights of a Gaussian at whole distances from its middle. Needs: an odd size.
Filter gaussian(int size, float sigma);

// Goes before keeping one sample in 16: 9 taps at scale 1.
Filter anti_alias_filter(double scale);
// The mean around a sample: 3 taps at scale 1.
Filter local_mean_filter(double scale);

// Rows of floats are padded to whole vectors of every instruction set.
inline constexpr int kRowFloats = static_cast<int>(kRowGuardBytes / sizeof(float));
inline int padded(int floats) {
  return (floats + kRowFloats - 1) / kRowFloats * kRowFloats;
}

// The sample that stands for one outside: beyond an edge samples come again, but for that on the edge. Needs:
// not as far outside as the axis is long.
inline int reflected(int i, int size) {
  return i < 0 ? -i : i >= size ? 2 * size - i - 2 : i;
}

// How a plane is brought to another size.
enum class Method { kNearest, kBilinear, kBicubic, kLanczos4 };

// Along one axis. Every output has as many taps, each a source index and its weight: tap t of output i is at
// [t * stride + i]. Between the last output and the stride, which is a multiple of kRowFloats, index and
// weight are 0.
struct AxisTaps {
  int taps = 0, outputs = 0, stride = 0;
  std::vector<int32_t> index;
  std::vector<float> weight;
};

// For the samples numbered `wanted` of an axis that is brought from `in` samples to `out`. Needs: sides of 1
// or more.
AxisTaps axis_taps(Method method, int in, int out, const std::vector<int>& wanted);

// Whether values have to be divided by the sum of their weights.
inline bool is_normalised(Method method) {
  return method == Method::kLanczos4;
}

}  // namespace vq::speed
