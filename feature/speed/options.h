// SpEED-QA as libvmaf's features speed_chroma and speed_temporal: their options, and the names of what they report.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/options.h"

namespace vq::speed {

// How a plane is brought to another size.
enum class Method { kNearest, kBilinear, kBicubic, kLanczos4 };

// Ranges and defaults are those of chroma_option_specs() and temporal_option_specs().
struct SpeedOptions {
  double kernel_scale = 1;  // widens both Gaussian filters
  double prescale = 1;      // sides of a plane are multiplied by it first
  Method method = Method::kNearest;
  double sigma_nn = 0.29;  // neural noise, added to every variance
  double nn_floor = 0;     // blocks under the entropy of noise so much stronger count as equal
  int weight_mode = 0;     // which variances weight which entropy, see block_weights()
  double max_value = 1000;  // that speed_chroma reports
  bool reference_difference = false;  // speed_temporal: the distorted video's change is from its own last frame to the reference
};

std::span<const OptionSpec> chroma_option_specs();
std::span<const OptionSpec> temporal_option_specs();
SpeedOptions to_chroma_options(const OptionSet& set);
SpeedOptions to_temporal_options(const OptionSet& set);

// What is reported of a frame, in order.
std::vector<std::string> chroma_metric_names(const OptionSet& set);
std::vector<std::string> temporal_metric_names(const OptionSet& set);

}  // namespace vq::speed
