// Checks of metrics that compare a video with its reference, and the alignment of different bit depths.
#pragma once

#include <initializer_list>
#include <string_view>

#include "core/frame.h"
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

// Sets the option enable_chroma to false if a video has no chroma, and says so in `resolution`. Needs no
// reference.
void resolve_chroma(std::string_view feature, OptionSet& set, const VideoFormats& formats,
                    Resolution& resolution);

// Checks for samples above the maximum of the bit depth.

// For features whose sums have room only for the depth's range. Throws Error{kMismatch} that names the video,
// the frame and the first luma sample above the depth's maximum.
void require_luma_in_range(const Frame& frame, const VideoFormat& video);

// A frame and its video's format.
struct VideoFrame {
  const Frame& frame;
  const VideoFormat& video;
};
// Reports such a sample that a device has found in one of the frames, which are searched in this order; their
// samples need not be on the host. Throws Error{kMismatch} as above, or Error{kBackend} that names video and
// frame if none is found.
[[noreturn]] void refuse_luma(std::initializer_list<VideoFrame> frames);

}  // namespace vq
