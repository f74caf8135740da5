// What people look at: a frame's luma, with its banding coloured over it and a strip that explains it.
#pragma once

#include <string>

#include "cli/pictures/picture.h"
#include "cli/pictures/snapshot.h"

namespace vq::cli {

// Grey, with a strip of the same height as that of render_overlay().
RgbImage render_plain(const Snapshot& shot);

// Local scores over the grey picture; below it a strip with score, frame, time and the scale of the colours.
RgbImage render_overlay(const Snapshot& shot);

// The coloured picture alone, at most `width` wide.
RgbImage render_thumbnail(const Snapshot& shot, int width);

// Pixels a dot of text in pictures of this width, and the height of the strip then.
int overlay_text_scale(int picture_width);
int overlay_strip_height(int picture_width);

}  // namespace vq::cli
