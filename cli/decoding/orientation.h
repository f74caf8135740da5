// How players turn a picture before they show it, and frames that are turned or cropped.
#pragma once

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

// Both leave index, time and type. Samples are not computed. If only a device has them, they stay where they
// are, and the device reads them in another order (vulkan::PictureSource).

// The frame itself if there is nothing to turn.
Frame turned(const Frame& frame, const Orientation& orientation);

// Narrows all planes to a part of the picture, in samples of the luma. Needs: the rectangle lies in the
// picture, and chroma samples begin where it does.
void crop_frame(Frame& frame, Chroma chroma, const Rectangle& rectangle);

// These lines of a part of a picture as those of the whole, and lines of a turned picture of this size as
// those of the stored one.
LumaLines lines_of_whole(LumaLines lines, const Rectangle& part);
LumaLines stored_lines(LumaLines lines, PlaneSize turned, const Orientation& orientation);

}  // namespace vq::cli
