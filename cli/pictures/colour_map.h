// Colours for local scores: perceptually even and told apart by the colour-blind.
#pragma once

#include "cli/pictures/picture.h"

namespace vq::cli {

// Local scores from here on have the last colour: the worst score seen of a whole picture.
inline constexpr double kColourMapTop = 24.0;

// The colour of a local score of 0 and up. Source: "inferno" of matplotlib (N. Smith, S. van der Walt, CC0),
// without its darkest third, which cannot be told from a dark picture.
Colour score_colour(double score);

// How much of that colour covers the picture; 0 for a score of 0, rising to a share through which the
// picture's shapes still show.
double score_cover(double score);

}  // namespace vq::cli
