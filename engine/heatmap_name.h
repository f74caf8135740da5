// What files of raw heatmaps are called.
#pragma once

#include <string>
#include <string_view>

#include "feature/feature.h"

namespace vq {

// <feature>_heatmap_scale_<k>_<w>x<h>_16b.gray
inline std::string heatmap_file_name(std::string_view feature, const HeatmapInfo& info) {
  return std::string(feature) + "_heatmap_scale_" + std::to_string(info.scale) + "_" +
         std::to_string(info.width) + "x" + std::to_string(info.height) + "_16b.gray";
}

}  // namespace vq
