// A video brought to another size or depth before anything looks at it.
#pragma once

#include <memory>
#include <optional>

#include "cli/decoding/frame_queue.h"
#include "core/fitting.h"

namespace vq::cli {

// Fits the frames of another reader. Somebody looks at the first `planes` of them. info() has the new format,
// source_info() that of the video as it was opened. Throws as MakeFitter.
std::unique_ptr<FrameReader> fitted(std::unique_ptr<FrameReader> reader, const Fitting& fitting, int planes);

}  // namespace vq::cli
