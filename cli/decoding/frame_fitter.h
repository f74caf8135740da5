// Fitting of frames of any size: libswscale scales, and core/sample_fitter.h does the rest.
#pragma once

#include <memory>

#include "core/fitting.h"

namespace vq::cli {

// A MakeFitter. Colours are converted before a picture is scaled, and its range behind that.
std::unique_ptr<FrameFitter> make_frame_fitter(const VideoFormat& from, const Fitting& fitting, int planes);

}  // namespace vq::cli
