// A video brought to another size or depth before it is scored.
#pragma once

#include <memory>
#include <optional>

#include "cli/decoding/frame_queue.h"

namespace vq::cli {

enum class ScaleKernel { kBicubic, kLanczos };
std::string_view to_string(ScaleKernel kernel);  // "bicubic", "lanczos"

// The size that videos are scaled to; none: the distorted one to that of its reference.
struct ScaleWish {
  std::optional<PlaneSize> size = {};
};

struct FittedFormat {
  PlaneSize size = {};
  int bit_depth = 8;  // not below the video's
  ScaleKernel kernel = ScaleKernel::kBicubic;
};

// Frames of another reader, scaled by libswscale where their size is another, and with their samples shifted left where their
// depth is. `planes` of them are looked at. Its info() has the new format, source_info() what was opened. Throws
// Error{kMismatch} for pictures that cannot be scaled.
std::unique_ptr<FrameReader> fitted(std::unique_ptr<FrameReader> reader, const FittedFormat& format, int planes);

}  // namespace vq::cli
