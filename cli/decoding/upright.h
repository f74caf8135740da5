// Videos whose frames are turned as their tags say.
#pragma once

#include <memory>

#include "cli/decoding/video_source.h"

namespace vq::cli {

// What VideoInfo::conversions says of frames that are turned, before how.
inline constexpr const char* kTurnedByTag = "is turned by its tag";

// The properties of a video whose frames are turned as its tag says. Throws Error{kMismatch} if its chroma
// cannot be turned.
VideoInfo turned_info(VideoInfo info);

// The same video with its frames turned as its tag says; itself if there is nothing to turn. Throws as
// turned_info().
std::unique_ptr<VideoSource> upright(std::unique_ptr<VideoSource> source);

}  // namespace vq::cli
