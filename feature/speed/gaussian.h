// The two Gaussian filters of SpEED-QA.
//
// Rounding: taps equal libvmaf's to the last bit, provided that exp() is the same; each operation is rounded in the order in
// which it is written, in float or in double as the types say.
#pragma once

#include <vector>

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

}  // namespace vq::speed
