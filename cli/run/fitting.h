// The videos of a run brought to the size and depth that was asked for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/decoding/fitted_reader.h"
#include "cli/run/run_options.h"
#include "feature/feature.h"

namespace vq::cli {

struct OpenVideos {
  std::unique_ptr<FrameReader> distorted, reference;  // the reference may be null
};

// What a video with this format becomes before anything looks at it; nothing where it stays as it is. `reference`: that of
// the run, as it is decoded.
std::optional<FittedFormat> fitting_of(const RunOptions& arguments, const VideoFormat& video,
                                       const std::optional<VideoFormat>& reference);

// The format of a video that is fitted.
VideoFormat fitted_format(VideoFormat format, const FittedFormat& fitting);

// Puts readers that fit the videos in the place of those that decode them, and what becomes of their formats into `formats`.
// `planes` are looked at. Returns a line for each thing that is done. Throws as fitted().
std::vector<std::string> fit_videos(const RunOptions& arguments, InputFormats& formats, int planes, OpenVideos& videos);

}  // namespace vq::cli
