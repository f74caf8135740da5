// SSIM and MS-SSIM as libvmaf's features float_ssim and float_ms_ssim: their options, and the names of what they report.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.h"

namespace vq::ssim {

enum class Feature { kSsim, kMsSsim };
std::string_view name_of(Feature feature);  // "float_ssim", "float_ms_ssim"

// MS-SSIM compares at so many scales.
inline constexpr int kScales = 5;

// Ranges and defaults are those of option_specs().
struct SsimOptions {
  bool parts = false;    // report means of luminance, contrast and structure
  bool db = false;       // report the score in decibels
  bool clip_db = false;  // at most that of the smallest difference
  int scale = 0;         // of SSIM alone: factor by which pictures are shrunk; 0: follows from their size
};

std::span<const OptionSpec> option_specs(Feature feature);
SsimOptions to_options(Feature feature, const OptionSet& set);

// What is reported of a frame, in order: the score and, where asked for, luminance, contrast and structure, each for every
// scale.
std::vector<std::string> metric_names(Feature feature, const SsimOptions& options);

}  // namespace vq::ssim
