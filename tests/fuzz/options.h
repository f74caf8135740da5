// Options of features for fuzz targets, and what is asked of their scores.
#pragma once

#include <span>
#include <vector>

#include "core/options.h"
#include "tests/fuzz/target.h"

namespace vq::fuzz {

// In range, each set in one input of two; numbers are at most what `most_of` says. Half of the real ones are round, as some
// options take few others.
OptionSet take_options(ByteTaker& taker, std::span<const OptionSpec> specs, double (*most_of)(const OptionSpec&));

// Whatever kind of not a number.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace vq::fuzz
