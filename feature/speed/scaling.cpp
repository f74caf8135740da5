#include "feature/speed/scaling.h"

#include <hwy/base.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace vq::speed {
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
