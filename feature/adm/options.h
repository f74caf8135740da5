// ADM as libvmaf's feature of that name: its options, and the names of what it reports.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.h"

namespace vq::adm {

// Models of how sensitive eyes are to contrast. The last two are tables for a few viewing distances.
enum class CsfMode { kWatson, kBarten, kBlend, kOtherBlend };

// Ranges and defaults are those of option_specs().
struct AdmOptions {
  double gain_limit = 100;  // 1: what is enhanced counts no more than what is kept
  double view_distance = 3;  // in picture heights
  int display_height = 1080;  // in lines
  CsfMode csf_mode = CsfMode::kWatson;
  double csf_scale = 1, csf_diagonal_scale = 1;  // kBarten alone
  double noise_weight = 0.03125;
  double dlm_weight = 0.5;
  double min_val = 0;
  bool skip_scale0 = false;
  bool skip_aim = false;
  bool debug = false;
};

std::span<const OptionSpec> option_specs();
AdmOptions to_options(const OptionSet& set);

// What is reported of a frame, in order, with the options that such names carry.
std::vector<std::string> metric_names(const OptionSet& set);

}  // namespace vq::adm
