// Scoring a part of the picture: a given rectangle, or what black bars leave.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/decoding/frame_queue.h"
#include "core/frame.h"

namespace vq::cli {

// What --crop or --crop-ref says: a rectangle, or to find it.
struct CropRequest {
  std::optional<Rectangle> rectangle;  // none: auto
};

// W:H:X:Y or auto. Throws Error{kUsage} with the name of the flag.
CropRequest parse_crop(const std::string& flag, const std::string& text);

// Narrows all planes of a frame to a part of it, in samples of the luma. Needs: the rectangle lies in the
// picture, and chroma samples begin where it does.
void crop_frame(Frame& frame, Chroma chroma, const Rectangle& rectangle);

// Throws Error{kMismatch} unless chroma samples of the video begin where the rectangle does. `flag` is what
// asked for it.
void check_crop_of_chroma(const std::string& flag, const Rectangle& rectangle, const VideoFormat& video);

// The video's frames, narrowed to the rectangle; its info() has the new size, source_info() what was opened.
// Needs: as crop_frame().
std::unique_ptr<FrameReader> cropped(std::unique_ptr<FrameReader> reader, const Rectangle& rectangle);

// Throws Error{kUsage} for what cannot be read twice. `flag` is what asked for it.
void check_searchable(const std::string& flag, const std::string& path);

// Throws Error{kMismatch} unless the rectangle lies in the picture. `flag` is what asked for it.
void check_crop(const std::string& flag, const Rectangle& rectangle, const VideoFormat& video);

}  // namespace vq::cli
