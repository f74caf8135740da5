// Fitting of frames: libswscale scales, tables convert depth and range, integers convert RGB.
#pragma once

#include <memory>

#include "core/fitting.h"

namespace vq::cli {

// A MakeFitter. A full-range sample becomes the nearest limited-range one: luma 16 + 219 v / m and chroma 128
// + 224 (v - c) / m in levels of 8 bits, where m is the largest sample of the depth and c its middle (ITU-R
// BT.2100, table 9). Other samples are shifted left to a larger depth. RGB becomes the nearest Y'CbCr of its
// depth; where chroma is subsampled, of the mean of R, G and B over the samples that the location of chroma
// lies between, or 1:2:1 around those on which it lies.
std::unique_ptr<FrameFitter> make_frame_fitter(const VideoFormat& from, const Fitting& fitting, int planes);

}  // namespace vq::cli
