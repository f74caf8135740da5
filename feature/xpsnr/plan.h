// XPSNR as FFmpeg's filter computes it, without that filter's slips: options, the names of what is reported,
// what is constant over two videos, and what becomes of the sums of blocks.
//
// Rounding: figures equal the filter's to the last bit, provided that log10() is the same. Sums of blocks are
// exact integers; all else is double, each operation rounded in the order in which it is written.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/options.h"
#include "feature/feature.h"
#include "feature/xpsnr/blocks.h"

namespace vq::xpsnr {

// Ranges and defaults are those of option_specs().
struct XpsnrOptions {
  bool chroma = true;
  double fps = 0;  // of the distorted video; 0: unknown
};

std::span<const OptionSpec> option_specs();
XpsnrOptions to_options(const OptionSet& set);

// Number of planes that are compared, for pictures with 1 or 3 planes.
int compared_planes(const XpsnrOptions& options, int picture_planes);
// What is reported of each frame and of the run, in order: a figure for each plane, the least of these and,
// of three planes, the weighted one.
std::vector<std::string> metric_names(const XpsnrOptions& options);

// Number of samples as a part of those of 3840x2160, for which the constants are made.
double relative_size(PlaneSize luma);

// The most frames a second that the option takes.
inline constexpr double kHighestRate = 1000;

// Whether the rate is high enough for activity in time to be the second difference of three frames.
bool is_fast(double fps);

struct XpsnrPlan {
  int planes = 1;     // that are compared
  int bit_depth = 8;  // of the deeper video
  // By how much samples are shifted left to that depth.
  int distorted_shift = 0, reference_shift = 0;
  bool is_weighted = true;  // false: the picture is too small for blocks, and is one
  ActivityForm form;        // with the grid of luma
  std::array<Grid, kMaxPlanes> grids;
};

// Throws Error: kUsage without a reference, kMismatch for videos of other sizes or, where chroma is compared,
// of other sampling.
XpsnrPlan make_plan(const XpsnrOptions& options, const VideoFormats& formats);

// Sums of all blocks of a frame.
struct BlockSums {
  explicit BlockSums(const XpsnrPlan& plan);
  static int64_t bytes(const XpsnrPlan& plan);
  std::vector<Activity> activities;  // none if the picture has no weights
  std::array<std::vector<uint64_t>, kMaxPlanes> errors;
};

// The weight of each block, in raster order. Needs: plan.is_weighted.
std::vector<double> block_weights(const XpsnrPlan& plan, std::span<const Activity> activities);

// The weighted squared error of each compared plane.
std::array<uint64_t, kMaxPlanes> weighted_errors(const XpsnrPlan& plan, const BlockSums& sums);

// Values and tallies of a frame with these weighted errors.
FrameResult frame_result(const XpsnrPlan& plan, const std::array<uint64_t, kMaxPlanes>& errors);

// See FeatureInfo::aggregates.
std::vector<std::pair<std::string, double>> aggregates(const XpsnrPlan& plan, std::span<const double> totals);

}  // namespace vq::xpsnr
