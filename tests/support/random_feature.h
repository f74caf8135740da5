// Options of CAMBI at random.
#pragma once

#include <random>
#include <string>

namespace vq::cli::test {

// A text for --feature: about a third of the options of the exact form, each with a value from its range.
std::string random_feature(std::mt19937& random);

}  // namespace vq::cli::test
