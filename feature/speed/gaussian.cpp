#include "feature/speed/gaussian.h"

#include <hwy/base.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vq::speed {
namespace {

// The ratios of display heights and distances that the reference has filters for, as it writes them.
constexpr float kKernelScales[] = {1.0F,        1.0F / 2,      3.0F / 2, 2.0F,      2.0F / 3,  24.0F / 10, 360.0F / 97,
                                   4.0F / 3,    3.5F / 3,      3.75F / 3, 4.25F / 3, 5.0F / 3,  3.0F,       1.0F / 2.25F,
                                   1.4746F,     1.54F,         1.6F,     1.06667F,  0.711111F, 0.740740F,  1.111111F};
constexpr double kScaleSlack = 1e-3;
constexpr int kLeastTaps = 3;

// The least odd number that is no less, and at least kLeastTaps.
int tap_count(float at_scale_1, double scale) {
  const int count = static_cast<int>(std::ceil(at_scale_1 * static_cast<float>(scale)));
  return std::max(count % 2 == 0 ? count + 1 : count, kLeastTaps);
}

}  // namespace

bool is_known_kernel_scale(double scale) {
  return std::any_of(std::begin(kKernelScales), std::end(kKernelScales), [&](float known) {
    return static_cast<double>(std::abs(static_cast<float>(scale) - known)) < kScaleSlack;
  });
}

Filter gaussian(int size, float sigma) {
  HWY_DASSERT(size % 2 == 1);
  const double s = static_cast<double>(sigma);
  const auto denominator = static_cast<float>(1 / (s * std::sqrt(2 * std::numbers::pi)));
  Filter filter;
  float sum = 0;
  for (int i = 0; i < size; ++i) {
    const double distance = i - size / 2;
    filter.taps.push_back(static_cast<float>(std::exp(-0.5 * distance / s * distance / s)) / denominator);
    sum += filter.taps.back();
  }
  for (float& tap : filter.taps) tap /= sum;
  return filter;
}

Filter anti_alias_filter(double scale) {
  const int size = tap_count(9, scale);
  return gaussian(size, static_cast<float>(2.0 * size / 5));
}

Filter local_mean_filter(double scale) {
  const int size = tap_count(2, scale);
  return gaussian(size, static_cast<float>(size) / 5);
}

}  // namespace vq::speed
