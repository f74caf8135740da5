// What people look at: a frame's luma, with its flaws coloured over it and a strip that explains it.
#pragma once

#include <span>
#include <string>

#include "cli/pictures/image_codec.h"
#include "cli/pictures/picture.h"
#include "cli/pictures/snapshot.h"

namespace vq::cli {

// Local scores over the grey picture, which is lifted() so that dark places are seen; below it a strip with
// score, frame, time and the scale of the colours.
RgbImage render_overlay(const Snapshot& shot);

// A grey level made brighter: the square root of its share of white. That makes 8 of 255 to 45, and steps
// between levels below 64 larger. Pages do the same: see frames.js.
uint8_t lifted(uint8_t grey);

// Of every value of Snapshot::local.
std::span<const LayerColour> local_colours();

// Pixels a dot of text in pictures of this width, and the height of the strip then.
int overlay_text_scale(int picture_width);
int overlay_strip_height(int picture_width);

// The colour of a local score as a share of the usual scale, which has the last colour from 1 on. Source:
// "inferno" of matplotlib (N. Smith, S. van der Walt, CC0), without its darkest third, which cannot be told
// from a dark picture.
Colour score_colour(double share);

// How much of that colour covers the picture; 0 for a share of 0, rising to a cover through which the
// picture's shapes still show.
double score_cover(double share);

}  // namespace vq::cli
