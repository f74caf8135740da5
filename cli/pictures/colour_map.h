// Colours for local scores: perceptually even and told apart by the colour-blind.
#pragma once

#include "cli/pictures/picture.h"

namespace vq::cli {

// The colour of a local score as a share of the usual scale, which has the last colour from 1 on. Source:
// "inferno" of matplotlib (N. Smith, S. van der Walt, CC0), without its darkest third, which cannot be told
// from a dark picture.
Colour score_colour(double share);

// How much of that colour covers the picture; 0 for a share of 0, rising to a cover through which the
// picture's shapes still show.
double score_cover(double share);

}  // namespace vq::cli
