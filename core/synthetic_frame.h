// Pictures that are made up, for measurements: the same wherever they are made.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/frame.h"

namespace vq {

// What they look like. They drift from frame to frame.
enum class Synthetic {
  kFlat,      // one level
  kBanded,    // wide bands, a step of 8-bit video apart, as skies have them
  kTextured,  // the same with every third band under noise
  kRamps,  // a new level of 10-bit video every dozen samples in both directions, all of which are neighbours
  kNoise,
  kFilm,      // detail of all sizes, and grain, below a sky in bands
  kSoftFilm,  // the same pictures with less detail and grain, and fewer levels in the sky: as encoders leave
              // them
};
// "flat", "banded", ..., "film", "soft_film".
std::optional<Synthetic> synthetic_kind(std::string_view name);

// A frame of that number with the first `planes` planes that the format has.
Frame synthetic_frame(Synthetic kind, const VideoFormat& format, int64_t number, int planes = 1);

// A frame of that kind and, where a reference is used, that: of film the frame whose detail is lost, of other
// kinds the next frame. Nothing before them.
FramePair synthetic_pair(Synthetic kind, const VideoFormat& format, int64_t number, const FrameNeeds& use);

}  // namespace vq
