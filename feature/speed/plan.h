// SpEED-QA as libvmaf's features speed_chroma and speed_temporal: options, metric names, and the constants
// for comparing planes of two videos.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/options.h"
#include "feature/feature.h"
#include "feature/speed/taps.h"

namespace vq::speed {

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
