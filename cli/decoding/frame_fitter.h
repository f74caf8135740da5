// Fitting of frames: libswscale scales, tables convert depth and range.
#pragma once

#include <memory>

#include "core/fitting.h"

namespace vq::cli {

// A MakeFitter. A full-range sample becomes the nearest limited-range one: luma 16 + 219 v / m and chroma 128
// + 224 (v - c) / m in levels of 8 bits, where m is the largest sample of the depth and c its middle (ITU-R
// BT.2100, table 9). Other samples are shifted left to a larger depth.
std::unique_ptr<FrameFitter> make_frame_fitter(const VideoFormat& from, const Fitting& fitting, int planes);

}  // namespace vq::cli
