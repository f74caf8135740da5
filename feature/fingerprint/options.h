// The options of the fingerprint, and the names of what it reports.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/options.h"

namespace vq::fingerprint {

std::span<const OptionSpec> option_specs();

// How many planes are looked at of pictures that have so many, 1 or 3.
int used_planes(const OptionSet& set, int picture_planes);
// What is reported of a frame, in order: whether it repeats the one before, and how many frames up to it do
// so.
std::vector<std::string> metric_names(const OptionSet& set);
std::vector<std::string> text_names(const OptionSet& set);

}  // namespace vq::fingerprint
