// Raw heatmaps of a feature in files, as libvmaf writes those of CAMBI.
#pragma once

#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/plane.h"
#include "feature/feature.h"

namespace vq::libvmaf {

class HeatmapWriter {
 public:
  // Makes the folder where it is missing, and a file for each scale: its frames one behind the other, samples
  // of 16 bits with the lower byte first. Throws Error{kOutput}.
  HeatmapWriter(const std::string& folder, std::string_view feature, std::span<const HeatmapInfo> infos);

  // A frame's maps, one for each scale. After a failure, which is logged, nothing more is written.
  void write(std::span<const Plane<uint16_t>> maps);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  struct File {
    std::string path;
    std::unique_ptr<std::FILE, Close> file;
  };
  std::vector<File> files_;
};

}  // namespace vq::libvmaf
