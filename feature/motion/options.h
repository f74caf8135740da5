// Motion as libvmaf's feature of that name: its options, and the names of what it reports.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/options.h"

namespace vq::motion {

// Ranges and defaults are those of option_specs().
struct MotionOptions {
  bool force_zero = false;
  double blend_factor = 1, blend_offset = 40;
  double fps_weight = 1;
  double max_value = 10000;
  bool five_frame_window = false;
  bool moving_average = false;
  bool debug = false;

  // A frame is compared with the one so many before it.
  int gap() const { return five_frame_window ? 2 : 1; }
};

std::span<const OptionSpec> option_specs();
MotionOptions to_options(const OptionSet& set);

// What is reported of a frame, in order: the difference from the frame before, under `debug` once more by another name, the
// smaller one of the differences around the frame, and that blended.
std::vector<std::string> metric_names(const OptionSet& set);

}  // namespace vq::motion
