// What comparing two videos by CIEDE2000 needs, and what becomes of the sum of differences.
#pragma once

#include <string_view>

#include "feature/compared_videos.h"

namespace vq::ciede {

inline constexpr std::string_view kFeatureName = "ciede", kMetricName = "ciede2000";

// How the samples of one video become rows of SampleRow.
struct Spread {
  int shift = 0;  // to the left, to the depth of both
  ChromaShifts chroma = {};
};

struct CiedePlan {
  ComparedVideos videos = {};
  Spread distorted = {}, reference = {};
};

// Throws Error: kUsage without a reference, kMismatch for videos of other sizes or without chroma. Chroma may be sampled in
// different ways.
CiedePlan make_plan(const InputFormats& formats);

// The mean difference in decibels, 45 - 20 log10(sum / samples): infinite for equal pictures.
double score(const CiedePlan& plan, double sum_of_differences);

}  // namespace vq::ciede
