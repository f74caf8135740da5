// Times in a video, for people.
#pragma once

#include <string>

namespace vq {

// h:mm:ss.cc, cut and not rounded, so that seeking there never goes past the frame. Negative times have a
// sign.
std::string timecode(double seconds);

}  // namespace vq
