// VIF as libvmaf's feature of that name: options, metric names, the parameters of comparing two videos, and
// the final computation.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/options.h"
#include "feature/feature.h"
#include "feature/vif/stages.h"

namespace vq::vif {

// Ranges and defaults are those of option_specs().
struct VifOptions {
  double gain_limit = 100;  // upper limit on the local gain
  bool skip_scale0 = false;
  bool debug = false;
};

std::span<const OptionSpec> option_specs();
VifOptions to_options(const OptionSet& set);

// What is reported of a frame, in order: the score of each scale; under `debug` also the score of all, its
// numerator and denominator, and these of each scale.
std::vector<std::string> metric_names(const OptionSet& set);

struct VifPlan {
  VifOptions options;
  int bit_depth = 8;  // of the deeper video
  // By how much samples are shifted left to that depth.
  int distorted_shift = 0, reference_shift = 0;
  std::array<PlaneSize, kScales> sizes = {};
  int first_scale = 0;  // that is scored
};

// Throws Error: kUsage without a reference, kMismatch for videos of different sizes or with a side that
// leaves nothing of the last scale.
VifPlan make_plan(const VifOptions& options, const VideoFormats& formats);

// Whether samples of one of the videos are copied before they are compared.
bool needs_copies(const VifPlan& plan);

// The sums of a scale from which scores are computed.
struct Information {
  float num = 0, den = -1;  // as here if the scale is not scored
};
Information information_of(const ScaleSums& sums);

// Values in the order of metric_names(). Needs: one for each scale.
FrameResult frame_result(const VifPlan& plan, std::span<const Information> scales);

}  // namespace vq::vif
