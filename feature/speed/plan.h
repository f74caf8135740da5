// SpEED-QA as libvmaf's features speed_chroma and speed_temporal: options, metric names, and the constants
// for comparing planes of two videos.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/options.h"
#include "core/plane.h"
#include "feature/feature.h"

namespace vq::speed {

// The taps of SpEED-QA's filters: its two Gaussians, and those that bring a plane to another size.
//
// Rounding: taps equal libvmaf's to the last bit, provided that exp() and sin() are the same; each operation
// is rounded in the order in which it is written, in float or in double as the types say.

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

// Ranges and defaults are those of chroma_option_specs() and temporal_option_specs().
struct SpeedOptions {
  double kernel_scale = 1;  // widens both Gaussian filters
  double prescale = 1;      // sides of a plane are multiplied by it first
  Method method = Method::kNearest;
  double sigma_nn = 0.29;   // neural noise, added to every variance
  double nn_floor = 0;      // blocks under the entropy of noise so much stronger count as equal
  int weight_mode = 0;      // which variances weight which entropy, see block_weights()
  double max_value = 1000;  // that speed_chroma reports
  bool reference_difference =
      false;  // speed_temporal: the distorted video's change is from its own last frame to the reference
};

std::span<const OptionSpec> chroma_option_specs();
std::span<const OptionSpec> temporal_option_specs();
SpeedOptions to_chroma_options(const OptionSet& set);
SpeedOptions to_temporal_options(const OptionSet& set);

// What is reported of a frame, in order.
std::vector<std::string> chroma_metric_names(const OptionSet& set);
std::vector<std::string> temporal_metric_names(const OptionSet& set);

// Side of a block in kept samples, and their distance.
inline constexpr int kBlockSide = 5;
inline constexpr int kVariables = kBlockSide * kBlockSide;
inline constexpr int kKeptStep = 16;

// A filter of which only some outputs are needed: rows on demand, columns as listed here.
struct KeptFilter {
  Filter filter;
  int outputs = 0, stride = 0;  // stride: padded(outputs)
  std::vector<int32_t> columns =
      {};  // [tap * stride + output]: where in a row of input; 0 between outputs and stride
};

// How planes of one size are reduced, and where their blocks are.
struct PlanePlan {
  PlaneSize source;  // size of the plane that is read
  PlaneSize scaled;  // after scaling, or that of the source
  Method method = Method::kNearest;
  // If planes are scaled: the taps of all rows, and of the columns that the filter reads.
  std::optional<AxisTaps> rows, columns;
  int row_width = 0;  // of the rows that anti_alias filters
  KeptFilter anti_alias, local_mean;
  PlaneSize kept;  // the operating plane
  int blocks_across = 0, blocks_down = 0;
  int blocks() const { return blocks_across * blocks_down; }
};

struct SpeedPlan {
  SpeedOptions options;
  PlanePlan plane;
  int distorted_depth = 8, reference_depth = 8;
  float sigma = 0;
  float base_entropy = 0;  // blocks below it in both videos count as equal
};

// How planes of that size are reduced, with or without a block. Needs: a kernel scale that has filters;
// scaled sides above the reach of the anti-alias filter.
PlanePlan make_plane_plan(const SpeedOptions& options, PlaneSize size);

// Throws Error: kUsage without a reference or for a kernel scale that has no filters, kMismatch for videos
// that differ in size or sampling, have no chroma, or whose planes are too small.
SpeedPlan make_chroma_plan(const SpeedOptions& options, const VideoFormats& formats);
SpeedPlan make_temporal_plan(const SpeedOptions& options, const VideoFormats& formats);

}  // namespace vq::speed

// The logarithm of SpEED-QA, the same on every platform and with every instruction set.

namespace vq::speed {

// log2(2 pi e): twice the entropy of a Gaussian of variance 1, in bits.
inline constexpr double kGaussianEntropy = 4.094191170361282;

// x = m * 2^e with m from 1/sqrt(2) to sqrt(2), and log2(m) = 2/ln(2) * (s + s^3/3 + s^5/5 + ...) with
// s = (m - 1)/(m + 1), which is below 0.172. The division is exact to a rounding and m - 1 exact, so that the
// result is within two units of the last place.
namespace logarithm {
inline constexpr double kTwoOverLn2 = 2.8853900817779268;
// The bits of 1/sqrt(2).
inline constexpr uint64_t kLeastMantissa = 0x3FE6A09E667F3BCD;
// Factors of s^3, s^5, ... s^23.
inline constexpr double kSeries[] = {1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13,
                                     1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};
inline constexpr int kTerms = 11;
}  // namespace logarithm

// log2 of normal numbers above 0; -infinity for 0, NaN for negative numbers. Needs: not subnormal.
inline double log2_of(double x) {
  using namespace logarithm;
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (!(x > 0)) return std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(x)) return x;
  const auto bits = std::bit_cast<uint64_t>(x);
  const auto exponent = static_cast<int64_t>(bits - kLeastMantissa) >> 52;
  const auto m = std::bit_cast<double>(bits - (static_cast<uint64_t>(exponent) << 52));
  const double s = (m - 1) / (m + 1), square = s * s;
  double sum = kSeries[kTerms - 1];
  for (int i = kTerms - 2; i >= 0; --i) sum = sum * square + kSeries[i];
  const double series = s + s * (square * sum);
  return static_cast<double>(exponent) + kTwoOverLn2 * series;
}

}  // namespace vq::speed
