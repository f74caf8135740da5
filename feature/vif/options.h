// VIF as libvmaf's feature of that name: its options, and the names of what it reports.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/options.h"

namespace vq::vif {

// Ranges and defaults are those of option_specs().
struct VifOptions {
  double gain_limit = 100;  // upper limit on the local gain
  bool skip_scale0 = false;
  bool debug = false;
};

std::span<const OptionSpec> option_specs();
VifOptions to_options(const OptionSet& set);

// What is reported of a frame, in order: the score of each scale; under `debug` also the score of all, its numerator and
// denominator, and these of each scale.
std::vector<std::string> metric_names(const OptionSet& set);

}  // namespace vq::vif
