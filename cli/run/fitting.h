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
std::optional<Fitting> fitting_of(const RunOptions& arguments, const VideoFormat& video,
                                  const std::optional<VideoFormat>& reference);

// Says of each feature what it looks at instead of the frames that are pushed: those of models that are
// scaled see their display, and those that compare videos of two ranges, or are of a model, see both in
// limited range, unless --as-stored. `formats`: of what is pushed, `encoded`: of the distorted video as it
// was encoded. Returns a line for each thing that is done.
std::vector<std::string> settle_fittings(const RunOptions& arguments, const InputFormats& formats,
                                         const VideoFormat& encoded, std::vector<FeatureRequest>& features);

// Puts readers that fit the videos in the place of those that decode them, and what becomes of their formats into `formats`.
// `planes` are looked at. Returns a line for each thing that is done. Throws as fitted().
std::vector<std::string> fit_videos(const RunOptions& arguments, InputFormats& formats, int planes, OpenVideos& videos);

}  // namespace vq::cli
