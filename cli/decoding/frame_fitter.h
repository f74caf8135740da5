// Fits frames: libswscale scales them, tables bring their samples to another depth or range.
#pragma once

#include <memory>

#include "core/fitting.h"

namespace vq::cli {

// A MakeFitter. A sample of full range becomes the nearest of limited range: luma 16 + 219 v / m and chroma
// 128 + 224 (v - c) / m in levels of 8 bits, where m is the largest sample of the depth and c its middle
// (ITU-R BT.2100, table 9). Otherwise a deeper sample is the same one shifted left.
std::unique_ptr<FrameFitter> make_frame_fitter(const VideoFormat& from, const Fitting& fitting, int planes);

}  // namespace vq::cli
