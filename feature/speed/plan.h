// What comparing planes of two videos needs that is constant over the videos.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "feature/feature.h"
#include "feature/speed/gaussian.h"
#include "feature/speed/options.h"
#include "feature/speed/scaling.h"

namespace vq::speed {

// Blocks are so many samples wide and high, kept samples so far apart.
inline constexpr int kBlockSide = 5;
inline constexpr int kVariables = kBlockSide * kBlockSide;
inline constexpr int kKeptStep = 16;

// A filter of which only some outputs are wanted: of rows where the plane is asked for them, of the columns here.
struct KeptFilter {
  Filter filter;
  int outputs = 0, stride = 0;   // stride: padded(outputs)
  std::vector<int32_t> columns = {};  // [tap * stride + output]: where in a row of input; 0 between outputs and stride
};

// How planes of one size are reduced, and where their blocks are.
struct PlanePlan {
  PlaneSize source;  // what is looked at
  PlaneSize scaled;  // after scaling, or that of the source
  Method method = Method::kNearest;
  // Where planes are scaled: the taps of all rows, and those of the columns that the filter looks at.
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

// How planes of that size are reduced, with or without a block. Needs: a kernel scale that has filters; scaled sides above the
// reach of the anti-alias filter.
PlanePlan make_plane_plan(const SpeedOptions& options, PlaneSize size);

// Throws Error: kUsage without a reference or for a kernel scale that has no filters, kMismatch for videos that differ in
// size or sampling, have no chroma, or whose planes are too small.
SpeedPlan make_chroma_plan(const SpeedOptions& options, const InputFormats& formats);
SpeedPlan make_temporal_plan(const SpeedOptions& options, const InputFormats& formats);

}  // namespace vq::speed
