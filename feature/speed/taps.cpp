#include "feature/speed/taps.h"

#include <hwy/base.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace vq::speed {
namespace {

// The ratios of display heights and distances that the reference has filters for, as it writes them.
constexpr float kKernelScales[] = {1.0F,        1.0F / 2,     3.0F / 2, 2.0F,      2.0F / 3,  24.0F / 10,
                                   360.0F / 97, 4.0F / 3,     3.5F / 3, 3.75F / 3, 4.25F / 3, 5.0F / 3,
                                   3.0F,        1.0F / 2.25F, 1.4746F,  1.54F,     1.6F,      1.06667F,
                                   0.711111F,   0.740740F,    1.111111F};
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

namespace {

struct Tap {
  int32_t index = 0;
  float weight = 0;
};
using Taps = std::vector<Tap>;

// Beyond the edges samples come again, but for that on the edge.
int32_t mirrored(float position, int size) {
  const auto index = static_cast<int32_t>(position);
  const int32_t reflected = index < 0 ? -index : index > size - 1 ? 2 * (size - 1) - index : index;
  // Of a plane of one or two samples a far tap is still outside.
  return std::clamp(reflected, 0, size - 1);
}

// Where the middle of a sample lies in the source.
float source_position(int output, float ratio) {
  return static_cast<float>((output + 0.5) * static_cast<double>(ratio) - 0.5);
}

Taps nearest_tap(int output, float ratio, int size) {
  return {{std::min(static_cast<int32_t>(static_cast<float>(output) * ratio), size - 1), 1.0F}};
}

// The distance is from the mirrored sample: before the first one it is negative.
Taps bilinear_taps(float position, int size) {
  const int32_t first = mirrored(std::floor(position), size), second = mirrored(std::ceil(position), size);
  const float distance = position - static_cast<float>(first);
  return {{first, 1 - distance}, {second, distance}};
}

float cubic_weight(float offset) {
  constexpr float kA = -0.75F;
  const float t = std::abs(offset);
  if (t < 1) return ((kA + 2) * t - (kA + 3)) * t * t + 1;
  if (t < 2) return (((t - 5) * t + 8) * t - 4) * kA;
  return 0;
}

float lanczos_weight(float offset) {
  constexpr double kPi = std::numbers::pi, kSide = 4;
  const auto x = static_cast<double>(offset);
  if (x == 0) return 1;
  if (std::abs(x) >= kSide) return 0;
  return static_cast<float>(kSide * std::sin(kPi * x) * std::sin(kPi * x / kSide) / (kPi * kPi * x * x));
}

template <typename Weight>
Taps kernel_taps(float position, int size, std::pair<int, int> offsets, const Weight& weight) {
  const float base = std::floor(position), distance = position - base;
  Taps taps;
  for (int offset = offsets.first; offset <= offsets.second; ++offset) {
    const auto at = static_cast<float>(offset);
    taps.push_back({mirrored(base + at, size), weight(at - distance)});
  }
  return taps;
}

Taps taps_of(Method method, int output, float ratio, int size) {
  const float position = source_position(output, ratio);
  switch (method) {
    case Method::kNearest:
      return nearest_tap(output, ratio, size);
    case Method::kBilinear:
      return bilinear_taps(position, size);
    case Method::kBicubic:
      return kernel_taps(position, size, {-1, 2}, cubic_weight);
    case Method::kLanczos4:
      return kernel_taps(position, size, {-4, 4}, lanczos_weight);
  }
  return {};
}

}  // namespace

AxisTaps axis_taps(Method method, int in, int out, const std::vector<int>& wanted) {
  HWY_DASSERT(in >= 1 && out >= 1);
  const float ratio = static_cast<float>(in) / static_cast<float>(out);
  AxisTaps axis;
  axis.outputs = static_cast<int>(wanted.size());
  axis.stride = padded(axis.outputs);
  const auto stride = static_cast<size_t>(axis.stride);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Taps taps = taps_of(method, wanted[i], ratio, in);
    axis.taps = static_cast<int>(taps.size());
    axis.index.resize(taps.size() * stride);
    axis.weight.resize(taps.size() * stride);
    for (size_t t = 0; t < taps.size(); ++t) {
      axis.index[t * stride + i] = taps[t].index;
      axis.weight[t * stride + i] = taps[t].weight;
    }
  }
  return axis;
}

}  // namespace vq::speed
