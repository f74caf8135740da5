// Pictures for people: a frame's luma, with its flaws as a coloured overlay and a strip that explains it.
#pragma once

#include <span>
#include <string>

#include "cli/pictures/image_codec.h"
#include "cli/pictures/picture.h"
#include "cli/pictures/still.h"

namespace vq::cli {

// Local scores over the grey picture, which is lifted() so that dark areas are visible; below it a strip with
// score, frame, time and the colour scale.
RgbImage render_overlay(const Snapshot& shot);

// A brightened grey level: the square root of its share of white. It maps 8 of 255 to 45, and enlarges steps
// between levels below 64. Pages do the same: see frames.js.
uint8_t lifted(uint8_t grey);

// One for every value of Snapshot::local.
std::span<const LayerColour> local_colours();

// Pixels per dot of text in pictures of this width, and the strip's height then.
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
