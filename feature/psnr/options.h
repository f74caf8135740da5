// PSNR as libvmaf's feature of that name: its options, and the names of what it reports.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.h"

namespace vq::psnr {

// Planes in the order of a picture's: how metrics name them.
inline constexpr std::array<std::string_view, 3> kPlaneNames = {"y", "cb", "cr"};

// Ranges and defaults are those of option_specs().
struct PsnrOptions {
  bool chroma = true;
  bool mse = false;
  bool apsnr = false;
  bool reduced_hbd_peak = false;
  double min_sse = 0;  // 0: the limit is that of the depth
};

std::span<const OptionSpec> option_specs();
PsnrOptions to_options(const OptionSet& set);

// How many planes are compared of pictures that have so many, 1 or 3.
int compared_planes(const PsnrOptions& options, int picture_planes);
// What is reported of a frame, in order: for each compared plane its PSNR and, where asked for, its MSE.
std::vector<std::string> metric_names(const PsnrOptions& options, int picture_planes);
// What is reported once of all frames, in order: nothing, or a figure for each of kPlaneNames, whatever is
// compared.
std::vector<std::string> aggregate_names(const PsnrOptions& options);

}  // namespace vq::psnr
