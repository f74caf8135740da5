// CIEDE2000: what comparing two videos needs, what becomes of the sum of differences, and its entry in the
// registry.
#pragma once

#include <string_view>

#include "feature/ciede/stages.h"
#include "feature/compared_videos.h"
#include "feature/feature.h"

namespace vq::ciede {

inline constexpr std::string_view kFeatureName = "ciede", kMetricName = "ciede2000";

struct CiedePlan {
  ComparedVideos videos = {};
  Spread distorted = {}, reference = {};
};

// Throws Error: kUsage without a reference, kMismatch for videos of other sizes or without chroma. Chroma may
// be sampled in different ways.
CiedePlan make_plan(const VideoFormats& formats);

// The mean difference in decibels, 45 - 20 log10(sum / samples): infinite for equal pictures.
double score(const CiedePlan& plan, double sum_of_differences);

const FeatureInfo& feature_info();

// On a Vulkan device that has doubles, which computes all differences; the host adds them up. Others leave
// all to the host. The hybrid and the vulkan backend are the same.
inline constexpr std::string_view kDifferencesStage = "differences", kSumStage = "sum";

extern const DeviceSupport kDeviceSupport;

}  // namespace vq::ciede
