// What metrics that compare a video with its reference need of the two, and how samples of different depths
// meet.
#pragma once

#include <string_view>

#include "feature/feature.h"

namespace vq {

// Two videos of one size, as a metric compares them.
struct ComparedVideos {
  PlaneSize size = {};  // of their luma
  int bit_depth = 8;    // of the deeper one
  // By how much samples of each are shifted left to that depth.
  int distorted_shift = 0, reference_shift = 0;
};

// For messages each function takes the name of the feature. Throws Error: kUsage without a reference,
// kMismatch for videos of different sizes.
ComparedVideos compared_videos(std::string_view feature, const VideoFormats& formats);

// The others need that the first did not throw. They throw Error{kMismatch}

// for chroma of different sampling; `else_with` is what to do instead, such as "enable_chroma=false", and may
// be empty;
void require_same_chroma(std::string_view feature, const VideoFormats& formats,
                         std::string_view else_with = {});

// for a video without chroma;
void require_chroma(std::string_view feature, const VideoFormats& formats);

// for sides shorter than that.
void require_sides(std::string_view feature, const VideoFormats& formats, int shortest);

}  // namespace vq
