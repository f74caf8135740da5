// Colours for local scores: perceptually uniform and distinguishable for the colour-blind.
#pragma once

#include "cli/pictures/picture.h"

namespace vq::cli {

// The colour of a local score as a share of the usual scale; the last colour from 1 on. Source: "inferno" of
// matplotlib (N. Smith, S. van der Walt, CC0), without its darkest third, which is hard to distinguish from a
// dark picture.
Colour score_colour(double share);

// Opacity of that colour; 0 for a share of 0, rising to a maximum at which the picture's shapes still show.
double score_cover(double share);

}  // namespace vq::cli
