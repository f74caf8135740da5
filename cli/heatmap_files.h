// Heatmaps of a run as raw files, one for each scale, frames one after another, 16-bit little endian.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/output_file.h"
#include "core/extractor.h"

namespace vq::cli {

// Makes the folder where it is missing, and says whether it did. Throws Error{kOutput}.
bool make_heatmap_folder(const std::string& folder);

class HeatmapFiles {
 public:
  // Makes the folder where it is missing and opens a temporary file for each scale. Throws Error{kOutput}.
  HeatmapFiles(std::string folder, std::string_view feature, std::span<const HeatmapInfo> infos);
  ~HeatmapFiles();  // a folder that was made stays only with files in it
  HeatmapFiles(const HeatmapFiles&) = delete;
  HeatmapFiles& operator=(const HeatmapFiles&) = delete;

  const std::vector<std::string>& paths() const { return paths_; }
  // Of each frame the scales in order.
  void write(int scale, PlaneView<const uint16_t> map);
  // Completes all files, but for their names.
  void finish();
  // finish() and the renaming. Without it no file stays.
  void commit();
  // The same under the names with ".partial", for a run that ended early; nothing where writing failed.
  void commit_partial();

 private:
  std::string made_folder_;  // empty where it was there before
  std::vector<std::string> paths_;
  std::vector<OutputFile> files_;  // by scale
  std::vector<char> buffer_;
  bool is_whole_ = true;  // every file ends with the same frame
};

// <feature>_heatmap_scale_<k>_<w>x<h>_16b.gray
std::string heatmap_file_name(std::string_view feature, const HeatmapInfo& info);

}  // namespace vq::cli
