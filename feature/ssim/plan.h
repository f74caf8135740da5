// What comparing two videos by SSIM or MS-SSIM needs, and what becomes of the sums.
#pragma once

#include <span>
#include <vector>

#include "feature/compared_videos.h"
#include "feature/ssim/options.h"
#include "feature/ssim/stages.h"

namespace vq::ssim {

struct SsimPlan {
  Feature feature = Feature::kSsim;
  SsimOptions options = {};
  ComparedVideos videos = {};
  int factor = 1;                    // by which pictures are shrunk first
  std::vector<PlaneSize> sizes = {};  // that are compared, of each scale from the finest on
};

// Throws Error: kUsage without a reference, kMismatch for videos of other sizes or too small for the window.
SsimPlan make_plan(Feature feature, const SsimOptions& options, const InputFormats& formats);

// Values in the order of metric_names(), from the sums of each scale.
//
// Rounding: they equal libvmaf's to the last digit, provided that pow() and log10() are the same. Means are rounded to float;
// all else is double.
std::vector<double> frame_values(const SsimPlan& plan, std::span<const Similarity> scales);

}  // namespace vq::ssim
