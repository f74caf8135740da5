// Heatmaps of a run as raw files, one for each scale, frames one after another, 16-bit little endian.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/system/output_file.h"
#include "feature/feature.h"

namespace vq::cli {

class HeatmapFiles {
 public:
  // Creates the folder if it does not exist and opens a temporary file for each scale. Throws Error{kOutput}.
  HeatmapFiles(const std::string& folder, std::string_view feature, std::span<const HeatmapInfo> infos);

  const std::vector<std::string>& paths() const { return paths_; }
  // The scales of each frame in order.
  void write(int scale, PlaneView<const uint16_t> map);
  // The files, to be committed together.
  std::vector<OutputFile*> outputs();
  // The same for a run that ended early, named by partial_path(). None if writing failed.
  std::vector<OutputFile*> partial_outputs();

 private:
  OutputFolder folder_;
  std::vector<std::string> paths_;
  std::vector<OutputFile> files_;  // by scale
  std::vector<char> buffer_;
  bool is_whole_ = true;  // all files end with the same frame
};

// Bytes of a frame in all of the files together.
int64_t raw_frame_bytes(std::span<const HeatmapInfo> infos);

// Throws Error{kOutput} if the file system of the folder, which may not exist yet, has less than `bytes`
// free. `what` begins the message.
void check_free_space(const std::string& folder, int64_t bytes, const std::string& what);

}  // namespace vq::cli
