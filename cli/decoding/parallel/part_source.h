// A part of a video: its pictures are found in the container and decoded without those before them.
#pragma once

#include <memory>

#include "cli/decoding/video_source.h"

namespace vq::cli {

// Gives the pictures of SourceOptions::part as a source of the whole video gives them, with the same numbers,
// times and samples; what it knows of the video is what that knows. Where anything is out of the ordinary,
// the whole video is read up to the end of the part, and has the last word. Needs: the part is of this video;
// nothing before it is read, and skip() goes at least to its first picture. Throws as open_video(), and while
// reading Error{kIncomplete} where the video has other pictures at these times than the part says.
std::unique_ptr<VideoSource> open_part(const SourceOptions& options);

}  // namespace vq::cli
