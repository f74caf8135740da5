// What a video is brought to before it is scored: another size or depth, or limited range.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "core/frame.h"

namespace vq {

enum class ScaleKernel { kBicubic, kLanczos };
std::string_view to_string(ScaleKernel kernel);  // "bicubic", "lanczos"

struct Fitting {
  PlaneSize size = {};  // of the luma; 0x0: the video's own
  int least_bits = 0;   // a video of fewer bits a sample is brought to so many
  ScaleKernel kernel = ScaleKernel::kBicubic;
  bool limits_range = false;  // full range becomes limited

  bool operator==(const Fitting&) const = default;
};

// The format of a video that is fitted; its own where there is nothing to do.
VideoFormat fitted_format(VideoFormat format, const Fitting& fitting);
// Whether anything is done to a video of this format.
bool changes(const Fitting& fitting, const VideoFormat& format);

// Fits the frames of one video.
class FrameFitter {
 public:
  virtual ~FrameFitter() = default;
  // Called from any thread, from several at once. The frame's number, time and repeats stay what they are.
  // Throws Error{kInternal} where a frame cannot be scaled, std::bad_alloc.
  virtual Frame fit(const Frame& frame) const = 0;
};

// Makes the fitter for frames of a format. Features look at the first `planes` planes. Throws
// Error{kMismatch} for pictures that cannot be scaled.
using MakeFitter =
    std::function<std::unique_ptr<FrameFitter>(const VideoFormat& from, const Fitting& fitting, int planes)>;

}  // namespace vq
