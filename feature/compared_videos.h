// Checks of metrics that compare a video with its reference, and the alignment of different bit depths.
#pragma once

#include <string_view>

#include "feature/feature.h"

namespace vq {

// Properties of two videos of one size that a metric compares.
struct ComparedVideos {
  PlaneSize size = {};  // of their luma
  int bit_depth = 8;    // the larger of the two
  // Number of bits by which samples of each video are shifted left to reach that depth.
  int distorted_shift = 0, reference_shift = 0;
};

// `feature` is its name, for messages, here and below. Throws Error: kUsage without a reference, kMismatch
// for videos of different sizes.
ComparedVideos compared_videos(std::string_view feature, const VideoFormats& formats);

// The others need that compared_videos() did not throw. They throw Error{kMismatch}

// for different chroma subsampling; `else_with` is what to do instead, such as "enable_chroma=false", and may
// be empty;
void require_same_chroma(std::string_view feature, const VideoFormats& formats,
                         std::string_view else_with = {});

// for a video without chroma;
void require_chroma(std::string_view feature, const VideoFormats& formats);

// for sides below the minimum.
void require_sides(std::string_view feature, const VideoFormats& formats, int shortest);

}  // namespace vq
