// PSNR-HVS-M as libvmaf's feature psnr_hvs: it has no options. The names of what it reports.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/options.h"

namespace vq::psnr_hvs {

std::span<const OptionSpec> option_specs();

// What is reported of a frame, in order: each plane, and all together.
std::vector<std::string> metric_names();

}  // namespace vq::psnr_hvs
