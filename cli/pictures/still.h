// Frames that are kept to be drawn later, and how they are drawn.
#pragma once

#include <cstdint>
#include <string_view>

#include "cli/pictures/picture.h"
#include "core/frame.h"
#include "core/plane.h"

namespace vq::cli {

// A frame in the samples of its video, possibly shrunk.
struct Still {
  VideoFormat format;    // of the planes below; its matrix is one of which RGB can be made
  PlaneSize video = {};  // size of the video's luma
  Frame frame;           // owns its planes; without planes there is no picture

  bool empty() const { return frame.luma().empty(); }
  int width() const { return frame.luma().width(); }
  int height() const { return frame.luma().height(); }
};

// A copy of the frame with a luma of `size`; each sample is the mean of those it stands for. Chroma is shrunk
// alike. Needs: a frame whose samples the host can read; `size` no larger than the frame.
Still still_of(const Frame& frame, const VideoFormat& format, const PlaneSize& size);
// Memory of one.
int64_t still_bytes(const VideoFormat& format, const PlaneSize& size);

// The still at another size, scaled as videos are for scoring (bicubic), or as it is if libswscale cannot
// scale its chroma. Throws as FrameFitter.
Still scaled_still(const Still& still, const PlaneSize& size);

// Its luma: 0 is black and 255 white, whatever the range.
Plane<uint8_t> grey_of(const Still& still);

// Its colours, by the matrix and the range of the video; chroma is interpolated as metrics of light do it
// (feature/light), cubic between the samples. Untagged video is read as there. PQ and HLG are tone-mapped:
// the curve of ITU-R BT.2390 takes 1000 cd/m2 to white and leaves what is below 95 cd/m2 as it is, with white
// at 203 cd/m2. Other video is shown as it is coded, whatever its primaries. Grey if there is no chroma.
RgbImage colours_of(const Still& still);

// The transfer that colours_of() maps: "PQ" or "HLG"; empty for other video.
std::string_view tone_mapped_transfer(const VideoFormat& format);

// How many times larger differences are drawn.
inline constexpr int kDifferenceGain = 8;
// |difference| of luma times kDifferenceGain, 255 being white, shrunk to fit the limit. Needs: stills of
// equal size.
Plane<uint8_t> difference_of(const Still& a, const Still& b, const PlaneSize& limit);

}  // namespace vq::cli
