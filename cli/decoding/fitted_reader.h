// A reader whose frames are fitted to another size or depth.
#pragma once

#include <memory>
#include <optional>

#include "cli/decoding/frame_queue.h"
#include "core/fitting.h"

namespace vq::cli {

// Fits the frames of another reader. The first `planes` planes are used. info() has the new format,
// source_info() that of the opened video. Throws as MakeFitter.
std::unique_ptr<FrameReader> fitted(std::unique_ptr<FrameReader> reader, const Fitting& fitting, int planes);

}  // namespace vq::cli
