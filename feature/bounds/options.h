// Options of the bounds of the picture, and the names of what is reported.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/options.h"
#include "feature/lit_area.h"

namespace vq::bounds {

// Ranges and defaults are those of option_specs().
struct BoundsOptions {
  int slack = kLitSlack;
  int tolerance = kLitTolerance;  // in millionths
};

std::span<const OptionSpec> option_specs();
// A tolerance is rounded to millionths.
BoundsOptions to_options(const OptionSet& set);

// Of a frame, in order.
std::vector<std::string> metric_names(const OptionSet& set);

}  // namespace vq::bounds
