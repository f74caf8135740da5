// SSIM and MS-SSIM as libvmaf's features float_ssim and float_ms_ssim: options, metric names, the parameters
// of comparing two videos, and the final computation.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.h"
#include "feature/compared_videos.h"
#include "feature/ssim/stages.h"

namespace vq::ssim {

enum class Feature { kSsim, kMsSsim };
std::string_view name_of(Feature feature);  // "float_ssim", "float_ms_ssim"

// Number of scales of MS-SSIM.
inline constexpr int kScales = 5;

// Ranges and defaults are those of option_specs().
struct SsimOptions {
  bool parts = false;    // report means of luminance, contrast and structure
  bool db = false;       // report the score in decibels
  bool clip_db = false;  // at most that of the smallest difference
  int scale = 0;         // of SSIM alone: factor by which pictures are shrunk; 0: follows from their size
};

std::span<const OptionSpec> option_specs(Feature feature);
SsimOptions to_options(Feature feature, const OptionSet& set);

// What is reported of a frame, in order: the score and, where asked for, luminance, contrast and structure,
// each for every scale.
std::vector<std::string> metric_names(Feature feature, const SsimOptions& options);

struct SsimPlan {
  Feature feature = Feature::kSsim;
  SsimOptions options = {};
  ComparedVideos videos = {};
  int factor = 1;                     // by which pictures are shrunk first
  std::vector<PlaneSize> sizes = {};  // that are compared, of each scale from the finest on
};

// Throws Error: kUsage without a reference, kMismatch for videos of other sizes or too small for the window.
SsimPlan make_plan(Feature feature, const SsimOptions& options, const VideoFormats& formats);

// Values in the order of metric_names(), from the sums of each scale.
//
// Rounding: they equal libvmaf's to the last digit, provided that pow() and log10() are the same. Means are
// rounded to float; all else is double.
std::vector<double> frame_values(const SsimPlan& plan, std::span<const Similarity> scales);

// Whether MS-SSIM has the same values for all sums of scales between these.
bool settle_values(const SsimPlan& plan, std::span<const Similarity> least, std::span<const Similarity> most);

// The feature on the CPU for videos of the plan, and its memory.
std::unique_ptr<HostFeature> make_host_feature(const SsimPlan& plan, const Execution& execution);
FeatureMemory host_memory(const SsimPlan& plan, const Execution& execution);

}  // namespace vq::ssim
