// How players turn a picture before they show it, and frames turned that way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/frame.h"

namespace vq::cli {

// Rows become columns first, then the picture is mirrored.
struct Orientation {
  bool transposes = false, flips_x = false, flips_y = false;
  bool operator==(const Orientation&) const = default;
};

// Orientation by a display matrix: nine numbers as FFmpeg keeps them. Nothing if its angle is not a right
// one.
std::optional<Orientation> orientation_of(const uint8_t* matrix, size_t size);

// "90 degrees clockwise", "180 degrees", "mirrored"; empty for a picture that stays as it is.
std::string describe(const Orientation& orientation);

// The sampling of chroma after turning. Nothing for one that has no counterpart: 4:1:1.
std::optional<Chroma> turned_chroma(Chroma chroma, const Orientation& orientation);

// A copy of the frame in ordinary memory, or the frame itself if there is nothing to turn; index, time and
// type stay. Samples are moved, not computed. Throws Error{kBackend} as on_host().
Frame turned(const Frame& frame, const Orientation& orientation);

}  // namespace vq::cli
