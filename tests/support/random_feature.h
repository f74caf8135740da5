// Options of CAMBI at random.
#pragma once

#include <random>
#include <string>

#include "core/options.h"

namespace vq::cli::test {

// About a third of the options of the exact form, each with a value from its range. Sides are seldom above
// `largest_side`: what is scaled up to 8K takes seconds.
OptionSet random_options(std::mt19937& random, int largest_side);

// Such options as a text for --feature, without those for the reference's size.
std::string random_feature(std::mt19937& random);

}  // namespace vq::cli::test
