// A part of a video, decoded without the pictures before it.
#pragma once

#include <memory>

#include "cli/decoding/video_source.h"

namespace vq::cli {

// Delivers the pictures of SourceOptions::part with the numbers, times and samples of a source of the whole
// video, and the same properties. If anything is unusual, the whole video is read up to the end of the part,
// and its result counts. Needs: the part belongs to this video; nothing before it is read, and skip() reaches
// at least its first picture. Throws as open_video(), and while reading Error{kIncomplete} if the video has
// other pictures at these times than the part says.
std::unique_ptr<VideoSource> open_part(const SourceOptions& options);

}  // namespace vq::cli
