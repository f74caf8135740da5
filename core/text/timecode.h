// Times in a video.
#pragma once

#include <string>

namespace vq {

// h:mm:ss.cc, rounded down, so that seeking there never passes the frame. Negative times have a sign.
std::string timecode(double seconds);

}  // namespace vq
